internal import ATProtoSessions
internal import FoundationEssentials
internal import HTTPTypes

/// Why a request is not done, as the client learns it. It holds no secret, and nothing that a client could not know.
struct Problem: Error {
    let status: HTTPResponse.Status
    /// The error in one word, for programs.
    let code: String
    /// The error and the next step, for people.
    let message: String
    /// When to try again.
    var retryAfter: Int?
    /// Where the app learns of it, if the request is a redirect to an app.
    var redirect: String?
    /// The methods that the address has.
    var allow: String?
    /// What a page says, if the message is for programmers.
    var forPeople: String?
    /// Where a page leads on.
    var wayOn = WayOn.login
    /// The page of a protected site, if the request is the end of a login for it.
    var site: String?

    enum WayOn {
        case login
        /// The start page of this host.
        case start
        /// Only the person knows the site.
        case nowhere
    }

    init(
        _ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil,
        allow: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.allow = allow
    }

    static let sessionEnded = Problem(.unauthorized, "session_ended", "The session has ended. Log in again.")
    static let noSession = Problem(.unauthorized, "no_session", "You are not logged in. Log in first.")
    static let noSuchAccount = Problem(
        .notFound, "no_such_account",
        "This session has no such account. GET /api/accounts lists those that it has.")
    static let noActiveAccount = Problem(
        .conflict, "no_active_account", "No account is active. Switch to one with POST /api/accounts/switch.")
    static let changedMeanwhile = Problem(
        .conflict, "changed_meanwhile", "Another request has changed this session. Send the request again.")
    static let foreignOrigin = Problem(
        .forbidden, "foreign_origin",
        "This request did not come from a page of this site. Open the site and try again.")
    static let loginExpired = Problem(
        .badRequest, "login_expired", "This login has expired or was completed already. Start again.")
    static let wrongCode = Problem(
        .badRequest, "invalid_code", "Invalid or expired code. Start the login again.")
    static let unclearHead = Problem(
        .badRequest, "invalid_request",
        "The request needs one Host, and one Content-Length or Transfer-Encoding: chunked for a body.")
    static let slowBody = Problem(
        .requestTimeout, "too_slow", "The body took too long to arrive. Send the request again.")
    /// The client has left, or its chunks can't be read.
    static let brokenBody = Problem(
        .badRequest, "invalid_request", "The body did not arrive to its end. Send the request again.")
    static let noRoom = Problem(
        .init(code: 507, reasonPhrase: "Insufficient Storage"), "no_room",
        "The server has no room for this body now. Try again later.")
    static let brokenAnswer = Problem(
        .badGateway, "UpstreamFailure",
        "The server of the account ended its answer too early. What was asked for may have been done.")
    static let notFound = {
        var problem = Problem(.notFound, "not_found", "There is nothing at this address.")
        problem.wayOn = .start
        return problem
    }()
    static let broken = Problem(
        .internalServerError, "server_error", "The server could not do this. Try again later.")

    /// The account's server could not be asked, or does not serve the account now. The session stays.
    init(check failure: ATProtoFailure) {
        let isRefused =
            switch failure.code {
            case .xrpc, .sessionEnded, .unknownAccount: !failure.mayPass
            default: false
            }
        if isRefused {
            self.init(
                .badGateway, "account_refused",
                "The account can't be used now: \(failure). Its login at this server still exists.")
            return
        }
        let reason =
            failure.code == .notRefreshed
            ? "The tokens of the account can't be refreshed yet."
            : "The server of the account can't be reached now."
        self.init(
            .serviceUnavailable, "server_unreachable", "\(reason) The session still exists. Try again later.",
            retryAfter: failure.retryAt.map { max(1, Int($0.timeIntervalSinceNow.rounded(.up))) } ?? 30)
    }

    /// A login that could not begin.
    init(start failure: ATProtoFailure) {
        switch failure.code {
        case .invalidArgument:
            self.init(
                .badRequest, "invalid_handle",
                "This is no handle. Write one like alice.bsky.social, or a DID.")
        case .noSuchAccount:
            self.init(.badRequest, "unknown_handle", "No account has this handle. Check how it is written.")
        case .identity where !failure.mayPass:
            self.init(.badRequest, "unknown_handle", "This handle does not lead to an account: \(failure).")
        case .identity, .network, .metadata, .cancelled:
            self.init(
                .badGateway, "server_unreachable",
                "The server of this account can't be reached now. Try again later.", retryAfter: 60)
        case .refused:
            self.init(
                .badGateway, "login_refused", "The server of this account refused the login: \(failure).")
        default: self = .broken
        }
    }
}
