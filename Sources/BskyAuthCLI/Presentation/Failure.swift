internal import BskyAuthCore
internal import JSON
internal import Networking

/// A failure in the words a person reads: what happened, and the one command that helps.
struct Failure: KnownError {
    let status: ExitStatus
    /// A stable name for scripts, as `session_expired`.
    let code: String
    /// One lower-case sentence: what, and which account.
    let message: String
    /// The next step, runnable as it stands; nil where there is none.
    var hint: String?
    /// The account it is about, as a person knows it.
    var account: String?
    /// The HTTP status it came from.
    var http: Int?
    /// What the server calls the error, made harmless. It is the server's choice, and never the stable name.
    var serverError: String?
    /// When a rate limit ends, in RFC 3339.
    var retryAt: String?
    /// Where a query that answers in pages is to be resumed; nil where there is nothing to resume.
    var cursor: String?
    /// Whether the words have been said already, so that only the exit status is left to give.
    var isTold = false

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
        self.serverError = serverError?.shown
        self.retryAt = retryAt
    }

    /// The one line of `--json`.
    var json: JSONValue {
        [
            "error": [
                "code": .string(code),
                "message": .string(message),
                "hint": JSONValue(hint),
                "exit": JSONValue(status.rawValue),
                "retryable": .bool(status.isRetryable),
                "account": JSONValue(account),
                "http": http.map { JSONValue($0) } ?? .null,
                "server_error": JSONValue(serverError),
                "retry_at": JSONValue(retryAt),
                "cursor": JSONValue(cursor),
            ]
        ]
    }
}
