extension PersonalDataServer {
    /// Methods that change the caller's repository.
    var repositoryMethods: [String: XRPCMethod] {
        [
            "com.atproto.repo.createRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "record"])
            ) { (call) throws(XRPCFailure) in
                let target = try target(of: call, action: "create")
                let key: String
                if let given = target.key { key = given } else { key = await repositories.nextKey() }
                return await stored(call, target, key: key)
            },
            "com.atproto.repo.putRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "rkey", "record"])
            ) { (call) throws(XRPCFailure) in
                let target = try target(of: call, action: "update")
                try call.require(
                    { $0.allowsWrite("create", in: target.collection) },
                    "repo:\(target.collection)?action=create"
                )
                return await stored(call, target, key: target.key ?? "self")
            },
            "com.atproto.repo.deleteRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "rkey"])
            ) { (call) throws(XRPCFailure) in
                let target = try target(of: call, action: "delete")
                await repositories.delete(
                    did: target.did, collection: target.collection, key: target.key ?? "")
                return .json(["commit": await commit()])
            },
        ]
    }

    private struct Target {
        let did: String
        let collection: String
        let key: String?
    }

    /// The repository of a write. It must be the caller's own, and the scopes must allow the write.
    private func target(of call: XRPCCall, action: String) throws(XRPCFailure) -> Target {
        let caller = try call.requireCaller()
        guard let repository = call.input["repo"]?.string, let collection = call.input["collection"]?.string
        else {
            throw .invalidRequest("Error: Input/repo and Input/collection must be strings")
        }
        guard caller.account.isNamed(repository) else {
            if let other = accounts.find(repository) {
                throw XRPCFailure(
                    401, "AuthMissing", "Authentication Required for \(other.did)", .otherRepository)
            }
            throw .invalidRequest("Could not find repo: \(repository)")
        }
        try call.require({ $0.allowsWrite(action, in: collection) }, "repo:\(collection)?action=\(action)")
        if let record = call.input["record"], record.members == nil {
            throw .invalidRequest("Error: Input/record must be an object")
        }
        return Target(did: caller.account.did, collection: collection, key: call.input["rkey"]?.string)
    }

    private func stored(_ call: XRPCCall, _ target: Target, key: String) async -> Answer {
        let record = await repositories.put(
            call.input["record"] ?? .null, did: target.did, collection: target.collection, key: key)
        return .json([
            "uri": .string(record.uri),
            "cid": .string(record.cid),
            "commit": await commit(),
            "validationStatus": "unknown",
        ])
    }

    private func commit() async -> JSONValue {
        let revision = await repositories.nextKey()
        return ["cid": .string(ContentIdentifier.record(.string(revision))), "rev": .string(revision)]
    }
}
