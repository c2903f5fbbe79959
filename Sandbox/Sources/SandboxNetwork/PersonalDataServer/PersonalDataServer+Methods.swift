extension PersonalDataServer {
    /// Every method the PDS knows, by NSID.
    var methods: [String: XRPCMethod] {
        var methods = serverMethods
        methods.merge(repositoryMethods) { first, _ in first }
        methods.merge(recordMethods) { first, _ in first }
        methods.merge(syncMethods) { first, _ in first }
        methods.merge(blobMethods) { first, _ in first }
        methods.merge(feedMethods) { first, _ in first }
        methods.merge(notificationMethods) { first, _ in first }
        methods.merge(passwordMethods) { first, _ in first }
        methods.merge(serviceAuthMethods) { first, _ in first }
        return methods
    }

    private var serverMethods: [String: XRPCMethod] {
        [
            "com.atproto.server.getSession": XRPCMethod(verb: .query, takesDeactivated: true) {
                (call) throws(XRPCFailure) in
                let caller = try call.requireCaller()
                return .json(description(of: caller.account, withEmail: caller.scope.allowsEmail))
            },
            "com.atproto.server.describeServer": XRPCMethod(verb: .query, access: .open) {
                (call) throws(XRPCFailure) in
                .json([
                    "did": .string(origins.personalDataServerDID),
                    "availableUserDomains": [".test"],
                    "inviteCodeRequired": false,
                    "links": [:],
                    "blobUploadLimit": JSONValue(blobLimit),
                ])
            },
            "com.atproto.identity.resolveHandle": XRPCMethod(
                verb: .query, access: .open
            ) {
                (call) throws(XRPCFailure) in
                guard let handle = call.parameter("handle")?.lowercased() else {
                    throw .invalidRequest("Error: Params must have the property \"handle\"", .handleMissing)
                }
                guard Identifiers.isHandle(handle) else {
                    throw .invalidRequest("Error: handle must be a valid handle", .handleInvalid)
                }
                guard let account = accounts.find(handle), account.handle == handle else {
                    throw .invalidRequest("Unable to resolve handle", .handleUnknown)
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
            "chat.bsky.convo.listConvos": XRPCMethod(
                verb: .query,
                authorize: { (call) throws(XRPCFailure) in
                    try requireCall("chat.bsky.convo.listConvos", call, service: Self.chat)
                }
            ) { (call) throws(XRPCFailure) in
                .json(["convos": []])
            },
        ]
    }

    private static let appView = "did:web:api.bsky.app#bsky_appview"
    private static let chat = "did:web:api.bsky.chat#bsky_chat"

    /// App views are other services. A call needs an `rpc` scope (`protocol:S8`), or a password session that allows
    /// it (`protocol:X8`).
    func requireCall(_ method: String, _ call: XRPCCall, service audience: String = appView)
        throws(XRPCFailure)
    {
        if let caller = call.caller, caller.kind != .oauth {
            guard caller.scope.allowsCall(method, audience: audience) else {
                throw XRPCFailure(400, "InvalidToken", "Bad token method")
            }
            return
        }
        try call.require(
            { $0.allowsCall(method, audience: audience) },
            "rpc:\(method)?aud=\(audience.replacing("%", with: "%25").replacing("#", with: "%23"))"
        )
    }

    private func view(of record: Repository.Record) -> JSONValue {
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

    /// A paged answer. The last page has no cursor (`protocol:X11`).
    static func listing(_ name: String, _ items: [JSONValue], cursor: String?) -> JSONValue {
        var members = [JSONMember(name: name, value: .array(items))]
        if let cursor { members.insert(JSONMember(name: "cursor", value: .string(cursor)), at: 0) }
        return .object(members)
    }
}
