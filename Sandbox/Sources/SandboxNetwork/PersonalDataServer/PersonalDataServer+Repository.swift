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
                return try await stored(call, target, key: key)
            },
            "com.atproto.repo.putRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "rkey", "record"])
            ) { (call) throws(XRPCFailure) in
                let target = try target(of: call, action: "update")
                try call.require(
                    { $0.allowsWrite("create", in: target.collection) },
                    "repo:\(target.collection)?action=create"
                )
                return try await stored(call, target, key: target.key ?? "self")
            },
            "com.atproto.repo.deleteRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "rkey"])
            ) { (call) throws(XRPCFailure) in
                let target = try target(of: call, action: "delete")
                let commit = await repositories.delete(
                    account: target.account, collection: target.collection, key: target.key ?? "")
                return .json(["commit": commit.summary])
            },
        ]
    }

    private struct Target {
        let account: Account
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
        return Target(account: caller.account, collection: collection, key: call.input["rkey"]?.string)
    }

    private func stored(_ call: XRPCCall, _ target: Target, key: String) async throws(XRPCFailure) -> Answer {
        let value = call.input["record"] ?? .null
        guard Identifiers.isRepositoryPath(target.collection, key) else {
            throw .invalidRequest("Error: Input/collection and Input/rkey must be valid in a repository")
        }
        let block: Block
        do throws(InvalidData) {
            block = Block(try CBORValue(value).encoded)
        } catch {
            throw .invalidRequest("Error: Input/record: \(error.reason)")
        }
        let (record, commit) = try await repositories.put(
            value, block, account: target.account, collection: target.collection, key: key,
            swapping: call.input["swapRecord"])
        return .json([
            "uri": .string(record.uri),
            "cid": .string(record.cid),
            "commit": commit.summary,
            "validationStatus": "unknown",
        ])
    }
}
