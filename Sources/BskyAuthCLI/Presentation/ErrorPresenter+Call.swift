internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import HTTPTypes

/// Failures of calls.
extension ErrorPresenter {
    static func failure(_ refusal: CallRefusal) -> Failure {
        switch refusal.sender {
        case .atService(let account, let server, let namesService):
            self.refusal(
                of: refusal, by: server, AccountText.name(account),
                hint: refusal.error.status == 401
                    ? audienceHint(namesService: namesService) : help(with: refusal.nsid))
        case .account(let account, let terms): failure(refusal, of: account, terms)
        case .inactiveAccount(let account, let terms, let finding):
            inactive(account, terms, finding, refusal.error) ?? failure(refusal, of: account, terms)
        case .anonymous(let server):
            self.refusal(
                of: refusal, by: server, nil,
                hint: refusal.error.status == 401
                    ? "this method needs an account: leave out --anonymous" : help(with: refusal.nsid))
        }
    }

    private static func failure(
        _ refusal: CallRefusal, of account: Account, _ terms: LoginTerms?
    ) -> Failure {
        let error = refusal.error
        let name = AccountText.name(account)
        if let claim = error.missingScope {
            return Failure(
                .scopeMissing, "scope_missing",
                missingScope(of: name, neededScopes(refusal, claim), claim, error) + question(refusal.nsid),
                hint: login(account, terms, adding: neededScopes(refusal, claim)), account: name,
                http: error.status, serverError: error.name)
        }
        return standstill(of: account, error)
            ?? self.refusal(of: refusal, by: account.pds, name, hint: help(with: refusal.nsid))
    }

    /// An account that its server does not have, or has only as a deactivated copy; nil if it is nowhere else. To activate the copy
    /// would wake an earlier state of an account that has moved.
    private static func inactive(
        _ account: Account, _ terms: LoginTerms?, _ finding: MoveFinder.Finding, _ error: XRPCError
    ) -> Failure? {
        func failure(_ code: String, _ words: String, _ hint: String) -> Failure {
            let name = AccountText.name(account)
            return Failure(
                .refused, code,
                "\(account.pds.authority) does not serve the account \(name) (HTTP \(error.status)); \(words)",
                hint: hint, account: name, http: error.status, serverError: error.name)
        }
        return switch finding {
        case .same: nil
        case .moved(let server): moved(account, terms, to: server, answering: error)
        case .sameIssuer(let server):
            failure(
                "server_changed", "it is at \(server.authority) now, and its session is good there",
                "bskyauth refresh --force \(AccountText.selector(account))")
        case .unknown:
            failure(
                "account_inactive", "whether it has moved to another server could not be found out",
                "bskyauth resolve \(account.did)")
        }
    }

    /// What helps a deactivated account.
    static let activation = "activate the account in the app where you deactivated it, then try again"

    /// The failure of an account that may make no calls; nil for another error. New tokens don't help.
    static func standstill(of account: Account, _ error: XRPCError) -> Failure? {
        func failure(_ code: String, _ state: String, _ hint: String) -> Failure {
            let name = AccountText.name(account)
            return Failure(
                .refused, code,
                "the account \(name) is \(state) at \(account.pds.host) (HTTP \(error.status))",
                hint: hint, account: name, http: error.status, serverError: error.name)
        }
        return switch error.name {
        case "AccountDeactivated": failure("account_deactivated", "deactivated", activation)
        case "AccountTakedown":
            failure("account_taken_down", "taken down", "ask the operator of \(account.pds.host)")
        default: nil
        }
    }

    /// The command that shows how to call a method.
    private static func help(with nsid: NSID) -> String {
        "bskyauth help \(PublicMethods.method(nsid) == nil ? "call" : nsid.description)"
    }

    /// What to do after a refused write whose body is a file, which is sent as it is.
    static func nextStep(refusedBody nsid: NSID, isJSON: Bool) -> String {
        guard isJSON else {
            return
                "\(nsid.name) takes JSON; to upload a file: bskyauth call com.atproto.repo.uploadBlob --input FILE"
        }
        return
            "nothing is added to a body from --input, so it must have \"repo\" too; with items it is filled in: "
            + "bskyauth help \(nsid)"
    }

    private static func refusal(
        of call: CallRefusal, by server: Origin, _ account: String?, hint: String
    ) -> Failure {
        let error = call.error
        let what = words(error) + question(call.nsid)
        if error.saysUnknownMethod {
            return Failure(
                .refused, "unknown_method", "\(server.host) does not know \(call.nsid): \(what)",
                hint: nextStep(unknown: call.nsid), account: account, http: error.status,
                serverError: error.name)
        }
        if let failure = redirect(error, of: call.nsid, by: server, account, isQuery: call.method == .query) {
            return failure
        }
        let isDoubtful = error.status >= 500 && what != words(error)
        if isDoubtful {
            // A server that passes unknown methods on answers that the other service failed.
            return Failure(
                .serverError, "server_error", "\(server.host) failed: \(what)",
                hint: nextStep(unknown: call.nsid), account: account, http: error.status,
                serverError: error.name)
        }
        return refusal(error, what, by: server.host, account) {
            Failure(
                .refused, "refused", "\(server.host) refused \(call.nsid): \(what)",
                hint: error.saysWrongMethod
                    ? "bskyauth call -X \(call.method == .query ? "procedure" : "query") \(call.nsid) …"
                    : hint,
                account: account, http: error.status, serverError: error.name)
        }
    }

    /// A redirect, which is not followed; nil for another answer. With the account's token the request would go to somebody else
    /// (protocol:R62). Most such answers lead to a file for everybody.
    static func redirect(
        _ error: XRPCError, of nsid: NSID, by server: Origin, _ account: String?, isQuery: Bool = true
    ) -> Failure? {
        guard let target = error.redirectTarget?.escapedForTerminal else { return nil }
        return Failure(
            .refused, "refused",
            "\(server.host) answered \(nsid) with a redirect to \(target), which is not followed (HTTP \(error.status))",
            hint: isQuery && isWholeAddress(error.redirectTarget)
                ? "if you trust that server, read it there without the account: curl -o FILE \(target.shellQuoted)"
                : "bskyauth doctor",
            account: account, http: error.status, serverError: error.name)
    }

    /// Whether another program can take an address as it stands: it has a host, and was not cut.
    private static func isWholeAddress(_ text: String?) -> Bool {
        guard let text, !text.hasSuffix("…") else { return false }
        return text.hasPrefix("https://") || text.hasPrefix("http://")
    }

    /// Whether another method was meant, after the words about one that the lexicons don't have.
    private static func question(_ nsid: NSID) -> String {
        guard PublicMethods.method(nsid) == nil, let near = PublicMethods.nearest(to: nsid) else { return "" }
        return "; did you mean \(near)?"
    }

    /// What to do if the server does not know a method.
    private static func nextStep(unknown nsid: NSID) -> String {
        if PublicMethods.method(nsid) != nil { return help(with: nsid) }
        return PublicMethods.nearest(to: nsid).map { "bskyauth call \($0) …" }
            ?? "another service may know it: bskyauth call --proxy DID#SERVICE \(nsid) …"
    }

    /// The server says that the session belongs to another account.
    static func otherAccount(_ account: Account, _ terms: LoginTerms?) -> Failure {
        let name = AccountText.name(account)
        return Failure(
            .verificationFailed, "other_account",
            "\(account.pds.host) says that the session of \(name) belongs to another account",
            hint: terms.map { AccountText.loginCommand(account, $0) } ?? "bskyauth accounts --check",
            account: name)
    }

    /// Items that can't form the input of a call.
    static func failure(_ error: InvalidXRPCInput) -> Failure {
        let words =
            switch error {
            case .repeated(let name): "\(quoted(name)) is given twice"
            case .contradiction(let name): "\(quoted(name)) contradicts another item, which has a value there"
            case .invalidName(let name):
                "\(quoted(name)) is not a name such as record[langs][0]; a literal bracket is written \\["
            case .missingElement(let name): "a later element of the list is given, but not \(quoted(name))"
            case .nestedParameter(let name):
                "\(quoted(name)) is a parameter of the URL, where nothing is nested; a literal bracket is written \\["
            case .notAParameter(let name):
                "\(quoted(name)) is a query parameter, so it can't be an object or null"
            }
        return .usage(words)
    }

    private static func quoted(_ name: String) -> String { "\"\(name.escapedForTerminal)\"" }

    /// A token is for its own server.
    static func foreignHost(_ account: Account, _ server: Origin) -> Failure {
        let name = AccountText.name(account)
        return Failure(
            .usage, "foreign_audience",
            "the token of \(name) is only for \(account.pds); it is not sent to \(server)",
            hint: "bskyauth call --anonymous --host \(server) …", account: name)
    }

    // MARK: Repetitions

    /// A call that might be carried out twice is sent once.
    ///
    /// - Parameter instruction: how to do the same with a call that can be sent twice.
    static func notIdempotent(_ method: NSID, instead instruction: String?) -> Failure {
        Failure(
            .usage, "not_idempotent",
            "--retry can't be used with \(method): a retry could carry it out twice"
                + (instruction == nil ? "" : "; putRecord writes one record, even if it is sent twice"),
            hint: instruction ?? "leave out --retry")
    }

    /// A call without an answer, which the server may have carried out. Once more, it would do more.
    static func mayBeDone(_ request: XRPCRequest, _ failure: Failure) -> Failure {
        var failure = failure
        failure.message += "; the server may have carried it out"
        failure.hint = "find out whether it did before you run the command again"
        failure.mayBeDone = true
        guard request.nsid.description == "com.atproto.repo.createRecord",
            case .bytes(let bytes) = request.body, let body = (try? JSONParser.parse(bytes))?.object,
            let repo = body["repo"]?.string, let collection = body["collection"]?.string
        else { return failure }
        let address = "at://\(repo)/\(collection)".escapedForTerminal.shellQuoted
        failure.hint =
            "look whether the record is there before you run the command again:  "
            + "bskyauth call com.atproto.repo.listRecords \(address) limit=3"
        return failure
    }

    /// That a call is about to be sent again.
    static func words(_ notice: RetryFlow.Notice, of most: Int) -> String {
        let trouble =
            switch notice.reason {
            case .status(429): "the server's rate limit was reached"
            case .status(let status): "the server failed (HTTP \(status))"
            case .failure(let error): failure(for: error).message
            }
        let wait = TimeText.length((notice.wait / .seconds(1)).rounded(.up))
        return "\(trouble); retrying in \(wait) (\(notice.repetition) of \(most))"
    }

    // MARK: Pages

    static func failure(_ error: InvalidXRPCPage, method: NSID) -> Failure {
        let what =
            switch error {
            case .json: "data that is not JSON"
            case .notAnObject: "JSON that is not an object"
            case .cursor: "a cursor that is not a string"
            case .cursorHalfSurrogate: "a cursor with half of a character, which can't be sent back"
            case .repeated(let name): "\"\(name.escapedForTerminal)\" comes twice"
            }
        return Failure(
            .network, "malformed_page", "the response to \(method) can't be read as a page: \(what)",
            hint: "to see the response, run the command without --paginate and --items")
    }

    /// - Parameter keptPages: whether the pages before it stay, in contrast to those for a file.
    static func repeatedCursor(_ method: NSID, keptPages: Bool) -> Failure {
        let pages = keptPages ? "the pages before it were printed" : "the file was not written"
        return Failure(
            .failure, "repeated_cursor", "the server repeated a cursor of \(method); \(pages)",
            hint: "stop earlier with --limit-pages N")
    }

    /// - Parameter lists: the members that might be meant.
    static func noSingleList(_ lists: [String]) -> Failure {
        let names = lists.map(\.escapedForTerminal).joined(separator: ", ")
        return Failure(
            .usage, "items_unclear",
            lists.isEmpty
                ? "the response has no list of items" : "the response has more than one list: \(names)",
            hint: "to print whole pages, use --paginate")
    }
}
