extension PersonalDataServer {
    /// Methods that change the caller's repository.
    var repositoryMethods: [String: XRPCMethod] {
        [
            "com.atproto.repo.createRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "record"])
            ) { (call) throws(XRPCFailure) in
                let account = try ownAccount(call)
                let target = try Self.target(of: call.input)
                try call.requireWrite("create", in: target.collection)
                let content = try await content(call.input, target, at: "record")
                return try await stored(call, account, content, .create(content))
            },
            "com.atproto.repo.putRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "rkey", "record"])
            ) { (call) throws(XRPCFailure) in
                let account = try ownAccount(call)
                let target = try Self.target(of: call.input)
                try call.requireWrite("update", in: target.collection)
                try call.requireWrite("create", in: target.collection)
                let content = try await content(call.input, target, at: "record")
                return try await stored(
                    call, account, content, .put(content, swapping: call.input["swapRecord"]))
            },
            "com.atproto.repo.deleteRecord": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "collection", "rkey"])
            ) { (call) throws(XRPCFailure) in
                let account = try ownAccount(call)
                let target = try Self.target(of: call.input)
                try call.requireWrite("delete", in: target.collection)
                let commit = try await repositories.commit(
                    [.delete(collection: target.collection, key: target.key ?? "", isNeeded: false)],
                    of: account, swapping: call.input["swapCommit"]?.string)
                return .json(["commit": commit.summary])
            },
            "com.atproto.repo.applyWrites": XRPCMethod(
                verb: .procedure, input: .json(required: ["repo", "writes"])
            ) { (call) throws(XRPCFailure) in try await applyWrites(call) },
        ]
    }

    /// The caller's account. `repo` of a write has to name it.
    func ownAccount(_ call: XRPCCall) throws(XRPCFailure) -> Account {
        let caller = try call.requireCaller()
        guard let repository = call.input["repo"]?.string else {
            throw .invalidRequest("Error: Input/repo must be a string")
        }
        guard caller.account.isNamed(repository) else {
            if let other = accounts.find(repository) {
                throw XRPCFailure(
                    401, "AuthMissing", "Authentication Required for \(other.did)", .otherRepository)
            }
            throw .invalidRequest("Could not find repo: \(repository)")
        }
        return caller.account
    }

    /// The collection and the key of a write. A record that is created may have none.
    static func target(of write: JSONValue, at path: String = "") throws(XRPCFailure) -> (
        collection: String, key: String?
    ) {
        guard let collection = write["collection"]?.string else {
            throw .invalidRequest("Error: Input\(path)/collection must be a string")
        }
        guard let key = write["rkey"] else { return (collection, nil) }
        guard let key = key.string else { throw .invalidRequest("Error: Input\(path)/rkey must be a string") }
        return (collection, key)
    }

    /// The record of a write.
    ///
    /// - Parameters:
    ///   - name: the member that has the record.
    ///   - path: the way to the write in the body.
    func content(
        _ write: JSONValue, _ target: (collection: String, key: String?), at name: String,
        in path: String = ""
    ) async throws(XRPCFailure) -> RecordWrite.Content {
        guard let value = write[name], value.members != nil else {
            throw .invalidRequest("Error: Input\(path)/\(name) must be an object")
        }
        let key: String
        if let given = target.key { key = given } else { key = await repositories.nextKey() }
        guard Identifiers.isRepositoryPath(target.collection, key) else {
            throw .invalidRequest(
                "Error: Input\(path)/collection and Input\(path)/rkey must be valid in a repository")
        }
        do throws(InvalidData) {
            return RecordWrite.Content(
                collection: target.collection, key: key, value: value,
                block: Block(try CBORValue(value).encoded))
        } catch {
            throw .invalidRequest("Error: Input\(path)/\(name): \(error.reason)")
        }
    }

    private func stored(
        _ call: XRPCCall, _ account: Account, _ content: RecordWrite.Content, _ write: RecordWrite
    ) async throws(XRPCFailure) -> Answer {
        let commit = try await repositories.commit(
            [write], of: account, swapping: call.input["swapCommit"]?.string)
        var answer = content.summary(of: account, validates: call.validatesRecords)
        answer.set(commit.summary, at: "/commit")
        return .json(answer)
    }
}

extension XRPCCall {
    /// Refuses the call unless the caller's scopes allow a write.
    func requireWrite(_ action: String, in collection: String) throws(XRPCFailure) {
        try require({ $0.allowsWrite(action, in: collection) }, "repo:\(collection)?action=\(action)")
    }

    /// Whether the server looks for the lexicons of the records. It has none.
    var validatesRecords: Bool { input["validate"]?.bool != false }
}

extension RecordWrite.Content {
    /// What the answer to a write says about the record.
    func summary(of account: Account, validates: Bool) -> JSONValue {
        var summary: JSONValue = [
            "uri": .string("at://\(account.did)/\(collection)/\(key)"), "cid": .string(block.cid.text),
        ]
        if validates { summary.set("unknown", at: "/validationStatus") }
        return summary
    }
}
