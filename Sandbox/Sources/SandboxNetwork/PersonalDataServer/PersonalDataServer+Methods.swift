extension PersonalDataServer {
    /// Every method the PDS knows, by NSID.
    var methods: [String: XRPCMethod] {
        var methods = serverMethods
        methods.merge(repositoryMethods) { first, _ in first }
        methods.merge(recordMethods) { first, _ in first }
        methods.merge(blobMethods) { first, _ in first }
        methods.merge(feedMethods) { first, _ in first }
        return methods
    }

    private var serverMethods: [String: XRPCMethod] {
        [
            "com.atproto.server.getSession": XRPCMethod(verb: .query) { (call) throws(XRPCFailure) in
                guard let session = call.session else { throw .invalidRequest("No session") }
                var answer: [JSONMember] = [
                    JSONMember(name: "did", value: .string(session.account.did)),
                    JSONMember(name: "handle", value: .string(session.account.handle)),
                    JSONMember(name: "didDoc", value: directory.document(of: session.account)),
                ]
                if session.scope.allowsEmail {
                    answer.append(
                        JSONMember(name: "email", value: .string("\(session.account.handle)@sandbox.test")))
                    answer.append(JSONMember(name: "emailConfirmed", value: true))
                }
                answer.append(JSONMember(name: "active", value: true))
                return .json(.object(answer))
            },
            "com.atproto.server.describeServer": XRPCMethod(verb: .query, access: .open) {
                (call) throws(XRPCFailure) in
                .json([
                    "did": .string(
                        "did:web:" + origins.authority(of: .personalDataServer).replacing(":", with: "%3A")),
                    "availableUserDomains": [".test"],
                    "inviteCodeRequired": false,
                    "links": [:],
                    "blobUploadLimit": JSONValue(blobLimit),
                ])
            },
            "com.atproto.identity.resolveHandle": XRPCMethod(
                verb: .query, parameters: ["handle"], access: .open
            ) {
                (call) throws(XRPCFailure) in
                let handle = call.parameter("handle")?.lowercased() ?? ""
                guard Identifiers.isHandle(handle) else {
                    throw .invalidRequest("Error: handle must be a valid handle")
                }
                guard let account = accounts.find(handle), account.handle == handle else {
                    throw .invalidRequest("Unable to resolve handle")
                }
                return .json(["did": .string(account.did)])
            },
        ]
    }

    private var feedMethods: [String: XRPCMethod] {
        [
            "app.bsky.feed.getTimeline": XRPCMethod(
                verb: .query,
                authorize: { (call) throws(XRPCFailure) in try requireCall("app.bsky.feed.getTimeline", call)
                }
            ) { (call) throws(XRPCFailure) in
                let limit = try call.limit(default: 50, max: 100)
                let page = await repositories.timeline(limit: limit, cursor: call.parameter("cursor"))
                let feed = page.records.map {
                    JSONValue.object([JSONMember(name: "post", value: view(of: $0))])
                }
                return .json(Self.listing("feed", feed, cursor: page.cursor))
            },
            "app.bsky.actor.getProfile": XRPCMethod(
                verb: .query,
                parameters: ["actor"],
                authorize: { (call) throws(XRPCFailure) in try requireCall("app.bsky.actor.getProfile", call)
                }
            ) { (call) throws(XRPCFailure) in
                guard let account = accounts.find(call.parameter("actor") ?? "") else {
                    throw .invalidRequest("Profile not found")
                }
                let profile = await repositories.record(
                    did: account.did, collection: "app.bsky.actor.profile", key: "self")
                return .json([
                    "did": .string(account.did),
                    "handle": .string(account.handle),
                    "displayName": .string(profile?.value["displayName"]?.string ?? ""),
                    "description": .string(profile?.value["description"]?.string ?? ""),
                    "followersCount": 0,
                    "followsCount": 0,
                    "postsCount": JSONValue(await repositories.countOfPosts(by: account.did)),
                ])
            },
        ]
    }

    /// App views are other services: calling one needs an `rpc` scope (`protocol:S8`).
    private func requireCall(_ method: String, _ call: XRPCCall) throws(XRPCFailure) {
        let audience = "did:web:api.bsky.app#bsky_appview"
        try call.require(
            { $0.allowsCall(method, audience: audience) },
            "rpc:\(method)?aud=\(audience.replacing("#", with: "%23"))"
        )
    }

    private func view(of record: RepositoryStore.Record) -> JSONValue {
        [
            "uri": .string(record.uri),
            "cid": .string(record.cid),
            "author": [
                "did": .string(record.did),
                "handle": .string(accounts.find(record.did)?.handle ?? "handle.invalid"),
            ],
            "record": record.value,
            "indexedAt": .string(record.indexed.timestamp),
        ]
    }

    /// A paged answer; no cursor on the last page (`protocol:X11`).
    static func listing(_ name: String, _ items: [JSONValue], cursor: String?) -> JSONValue {
        var members = [JSONMember(name: name, value: .array(items))]
        if let cursor { members.insert(JSONMember(name: "cursor", value: .string(cursor)), at: 0) }
        return .object(members)
    }
}
