extension PersonalDataServer {
    /// Methods that give a signed repository or a part of it. They need no session.
    var syncMethods: [String: XRPCMethod] {
        [
            "com.atproto.sync.getRecord": XRPCMethod(
                verb: .query, parameters: ["did", "collection", "rkey"], access: .open
            ) { (call) throws(XRPCFailure) in
                let path = "\(call.parameter("collection") ?? "")/\(call.parameter("rkey") ?? "")"
                return Self.car(try await repositories.car(of: try available(call), path: path))
            },
            "com.atproto.sync.getRepo": XRPCMethod(verb: .query, parameters: ["did"], access: .open) {
                (call) throws(XRPCFailure) in
                Self.car(try await repositories.car(of: try available(call)))
            },
            "com.atproto.sync.getRepoStatus": XRPCMethod(
                verb: .query, parameters: ["did"], access: .open
            ) { (call) throws(XRPCFailure) in
                let account = try account(of: call)
                guard account.isActive else {
                    return .json(["did": .string(account.did), "active": false, "status": "deactivated"])
                }
                let revision = await repositories.commit(of: account).summary["rev"] ?? .null
                return .json(["did": .string(account.did), "active": true, "rev": revision])
            },
            "com.atproto.sync.getLatestCommit": XRPCMethod(
                verb: .query, parameters: ["did"], access: .open
            ) { (call) throws(XRPCFailure) in
                .json(await repositories.commit(of: try available(call)).summary)
            },
            "com.atproto.sync.listBlobs": XRPCMethod(verb: .query, parameters: ["did"], access: .open) {
                (call) throws(XRPCFailure) in
                let limit = try call.limit(default: 500, max: 1000)
                let cids = await repositories.linkedBlobs(
                    of: try available(call).did, since: call.parameter("since"))
                let rest = cids.filter { $0 > call.parameter("cursor") ?? "" }
                let page = Array(rest.prefix(limit))
                return .json(
                    Self.listing(
                        "cids", page.map(JSONValue.string), cursor: rest.count > limit ? page.last : nil))
            },
        ]
    }

    /// The account that is asked about.
    private func account(of call: XRPCCall) throws(XRPCFailure) -> Account {
        let did = call.parameter("did") ?? ""
        guard let account = accounts.find(did), account.did == did else {
            throw XRPCFailure(400, "RepoNotFound", "Could not find repo for DID: \(did)")
        }
        return account
    }

    /// The account whose repository is asked for.
    private func available(_ call: XRPCCall) throws(XRPCFailure) -> Account {
        let account = try account(of: call)
        guard account.isActive else {
            throw XRPCFailure(400, "RepoDeactivated", "Repo has been deactivated: \(account.did)")
        }
        return account
    }

    private static func car(_ bytes: [UInt8]) -> Answer {
        Answer(status: 200, headers: ["content-type": "application/vnd.ipld.car"], body: .bytes(bytes))
    }
}
