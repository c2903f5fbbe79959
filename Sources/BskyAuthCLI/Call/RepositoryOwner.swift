internal import ATPJSON
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore

/// The account of a call, whose repository the writes go to.
struct RepositoryOwner {
    let account: Account
    let servers: ServerAccess
    /// Whether members that a write leaves out are filled in.
    let fillsIn: Bool

    /// The body of a call. A write gets the members that it leaves out, and must not name another repository.
    ///
    /// - Parameter lexicons: say which records need `createdAt`.
    func body(_ body: JSONObject?, of nsid: NSID, _ lexicons: KnownLexicons) throws -> JSONObject? {
        guard WriteDefaults.apply(to: nsid) else { return body }
        if let repo = body?["repo"], !owns(repo) { throw foreignRepository(repo, nsid) }
        guard fillsIn else { return body }
        let defaults = WriteDefaults(repo: account.did, lexicons) {
            TimeText.inRecord(servers.serverTime(of: account))
        }
        let (complete, filled) = defaults.complete(body, of: nsid)
        if !filled.isEmpty {
            servers.context.console.detail(
                "filled in: \(filled.joined(separator: ", ")) (--no-defaults sends the items alone)")
        }
        return complete
    }

    /// Whether a value of `repo` is the account's DID or its handle.
    private func owns(_ repo: JSONValue) -> Bool {
        guard let text = repo.string else { return false }
        if text == account.did.description { return true }
        return account.handle != nil && (try? Handle(validating: text)) == account.handle
    }

    private func foreignRepository(_ repo: JSONValue, _ nsid: NSID) -> Failure {
        let (name, repo) = (AccountText.name(account), repo.string ?? repo.text)
        return Failure(
            .usage, "foreign_repository",
            "\(name) can only write to its own repository, not to \"\(repo.escapedForTerminal)\"",
            hint: "bskyauth call -a \(repo.escapedForTerminal.shellQuoted) \(nsid) …", account: name)
    }
}
