internal import ATPJSON
internal import ATPNetworking
internal import ATProtoSessions
internal import BskyAuthCore

/// A failure in words for people: what happened, and one command that helps.
struct Failure: KnownError {
    let status: ExitStatus
    /// A stable name for scripts, as `session_expired`.
    let code: String
    /// One sentence in lower case: what happened, and to which account.
    var message: String
    /// The next step as a command that can be run; nil if no command helps.
    var hint: String?
    /// The name of the account for people.
    var account: String?
    /// The HTTP status of the response that caused the failure.
    var http: Int?
    /// The server's name for the error, made harmless. It is never used as the stable name.
    var serverError: String?
    /// When the same request may succeed, in RFC 3339: the end of a rate limit, or the next time for a refresh.
    var retryAt: String?
    /// The cursor to resume a query with pages; nil if nothing can be resumed.
    var cursor: String?
    /// Whether the server may have carried out a call whose repetition does more, so that it is not for repeating.
    var mayBeDone = false
    /// Whether the message was printed already, so that only the exit status remains.
    var isReported = false

    init(
        _ status: ExitStatus, _ code: String, _ message: String, hint: String? = nil, account: String? = nil,
        http: Int? = nil, serverError: String? = nil, retryAt: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.account = account
        self.http = http
        self.serverError = serverError?.escapedForTerminal
        self.retryAt = retryAt
    }

    /// The same failure with options in the commands of its hint, but for those that the hint has, help, and commands for another
    /// machine. If the vault does not open, what was named to open it may be the reason.
    func repeating(_ options: VaultOptions) -> Failure {
        guard let hint, !hint.hasPrefix("on ") else { return self }
        let namesKey = GlobalOptions.keyOptions.contains { hint.contains($0.name) }
        let words =
            (hint.contains("--home") ? [] : options.home)
            + (namesKey || status == .vaultLocked ? [] : options.key)
        guard !words.isEmpty else { return self }
        let inserted = words.map(\.shellQuoted).joined(separator: " ")
        var failure = self
        let parts = hint.split(separator: "bskyauth ", omittingEmptySubsequences: false)
        failure.hint = parts.dropFirst().reduce(String(parts[0])) { text, part in
            let isCommand =
                (text.isEmpty || text.hasSuffix(" ")) && !Self.endsInQuotes(text) && !part.hasPrefix("help")
            return "\(text)bskyauth \(isCommand ? "\(inserted) " : "")\(part)"
        }
        return failure
    }

    /// Whether a word in quotes is still open at the end of a text. The apostrophe of "don't" opens none, nor does an escaped one.
    private static func endsInQuotes(_ text: String) -> Bool {
        var (isOpen, last): (Bool, Character) = (false, " ")
        for character in text {
            if character == "'", isOpen || !(last.isLetter || last == "\\") { isOpen.toggle() }
            last = character
        }
        return isOpen
    }

    /// The message with its next step, for a command that goes on.
    var note: String { message + (hint.map { "\n  \($0)" } ?? "") }

    /// The one line of `--json`.
    var json: JSONValue {
        [
            "error": [
                "code": .string(code),
                "message": .string(message),
                "hint": JSONValue(hint),
                "exit": JSONValue(status.rawValue),
                "retryable": .bool(status.isRetryable && !mayBeDone),
                "account": JSONValue(account),
                "http": http.map { JSONValue($0) } ?? .null,
                "server_error": JSONValue(serverError),
                "retry_at": JSONValue(retryAt),
                "cursor": JSONValue(cursor),
            ]
        ]
    }
}

extension Failure {
    /// Reads ``json``; nil if it is not one.
    init?(json: JSONValue) {
        guard let error = json["error"], let message = error["message"]?.string,
            let code = error["code"]?.string,
            let status = error["exit"]?.integer.flatMap({ ExitStatus(rawValue: Int32(clamping: $0)) })
        else { return nil }
        self.init(
            status, code, message, hint: error["hint"]?.string, account: error["account"]?.string,
            http: error["http"]?.integer.map { Int(clamping: $0) },
            serverError: error["server_error"]?.string, retryAt: error["retry_at"]?.string)
        cursor = error["cursor"]?.string
        mayBeDone = status.isRetryable && error["retryable"] == .bool(false)
    }
}
