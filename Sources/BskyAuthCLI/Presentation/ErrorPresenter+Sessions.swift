internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials

/// Sessions that ended, and refreshes that failed.
extension ErrorPresenter {
    /// A refresh that the server could not make. The next one is sent at a time.
    static func failedRefresh(_ failure: Failure, _ retryAt: Date) -> Failure {
        if failure.code == "clock_skew" || failure.retryAt == TimeText.rfc3339(retryAt) {
            var failure = failure
            failure.retryAt = TimeText.rfc3339(retryAt)
            return failure
        }
        return Failure(
            failure.status == .rateLimited ? .rateLimited : .serverError, failure.code,
            "\(failure.message); the next refresh can be sent at \(TimeText.rfc3339(retryAt))",
            hint: failure.code == clientRefusedCode
                ? failure.hint : "wait until then, and run the command again",
            account: failure.account, http: failure.http,
            serverError: failure.serverError, retryAt: TimeText.rfc3339(retryAt))
    }

    /// An earlier refresh that the server could not make, or that may still be answered.
    static func postponedRefresh(_ name: String, _ status: Int?, _ retryAt: Date) -> Failure {
        guard let status else {
            let time = TimeText.rfc3339(retryAt)
            return Failure(
                .network, "refresh_unanswered",
                "the last refresh of \(name) got no answer; the next refresh can be sent at \(time)",
                hint: "wait until then, and run the command again", account: name, retryAt: time)
        }
        return failedRefresh(
            Failure(
                .serverError, "server_error",
                "the server could not refresh the session of \(name) (HTTP \(status))", account: name,
                http: status), retryAt)
    }

    /// A refresh whose result is not known. The access token still works.
    static func unclearRefresh(
        _ login: AccountLogin, _ since: Date, _ status: Int?, _ until: Date
    ) -> Failure {
        let name = AccountText.name(login.account)
        let end = TimeText.rfc3339(until)
        let what = status.map { "was answered with HTTP \($0)" } ?? "got no answer"
        return Failure(
            status == nil ? .network : .serverError, "refresh_unclear",
            "the refresh of \(name) at \(TimeText.rfc3339(since)) \(what), so its session may have ended; "
                + "its access token may work until \(end)",
            hint: "to be sure, log in again:  \(AccountText.loginCommand(login))", account: name,
            http: status,
            retryAt: end)
    }

    /// What a person should know about a session: that it ended or soon will, or that a refresh has no answer. Nil if nothing.
    static func concern(
        _ account: Account, _ session: Session, unclear attempt: RotationIntent?, now: Date
    ) -> Failure? {
        // The terms of a login are read from its client's ID, which a long list has no time for.
        var login: AccountLogin { AccountLogin(account, session) }
        switch AccountText.state(account, session, now: now) {
        case "expired", "uncertain":
            return failure(SessionFailure.sessionEnded(login, session.ending ?? .expired(said: nil)))
        case "expiring" where attempt == nil: return sessionEndsSoon(account, session, now: now)
        default: return attempt.map { openRefresh(login, $0, session, now: now) }
        }
    }

    /// A refresh that the server may have made. While the access token works, no command sends the refresh token again.
    private static func openRefresh(
        _ login: AccountLogin, _ attempt: RotationIntent, _ session: Session, now: Date
    ) -> Failure {
        var failure = unclearRefresh(
            login, attempt.startedAt, attempt.answer?.unclearStatus, session.accessExpiresAt)
        guard !session.lives(at: now) else { return failure }
        let name = AccountText.name(login.account)
        failure.message =
            "the refresh of \(name) at \(TimeText.rfc3339(attempt.startedAt)) is not known to have succeeded; the next command "
            + "repeats it"
        failure.hint = "bskyauth refresh \(AccountText.selector(login.account))"
        return failure
    }

    /// A login that could not be saved yet. Its tokens are in the vault.
    static func loginKept(_ account: Account, _ failure: Failure) -> Failure {
        let name = AccountText.name(account)
        return Failure(
            failure.status, "login_kept",
            "you are logged in to \(name), but the session can't be saved yet, so it is kept in the vault: \(failure.message)",
            hint: "bskyauth vault restore", account: name)
    }

    static func sessionEnded(_ ended: AccountLogin, _ ending: SessionEnding) -> Failure {
        let account = ended.account
        let name = AccountText.name(account)
        let login = "log in again:  \(AccountText.loginCommand(ended))"
        func failure(_ code: String, _ message: String) -> Failure {
            Failure(.loginNeeded, code, message, hint: login, account: name)
        }
        return switch ending {
        case .expired(let said):
            failure(
                "session_expired",
                "the session of \(name) ended at its server\(said.map { " (\($0.escapedForTerminal))" } ?? "")"
            )
        case .lostRotation(let status):
            failure(
                "lost_rotation",
                "the session of \(name) was lost: the server refreshed it, but the new tokens never arrived"
                    + (status.map { " (it answered HTTP \($0))" } ?? ""))
        case .unreadable:
            Failure(
                .loginNeeded, "answer_unreadable",
                "the server answered the refresh of \(name), but not with tokens that can be read",
                hint:
                    "try once more with bskyauth refresh --force \(AccountText.selector(account)), or \(login)",
                account: name)
        case .uncertain:
            Failure(
                .loginNeeded, "session_uncertain",
                "the server refused to refresh the session of \(name), but did not say that the session has ended",
                hint:
                    "try once more with bskyauth refresh --force \(AccountText.selector(account)), or \(login)",
                account: name)
        case .quarantined:
            failure(
                "session_quarantined",
                "the session of \(name) can't be used: its last tokens could not be verified")
        case .notRefreshable:
            failure(
                "session_expired",
                "the access token of \(name) expired, and its server issued no refresh token"
            )
        }
    }

    /// A refusal that says nothing about the session. Often a clock is wrong, which `doctor` shows.
    static func tokenRefused(_ account: AccountLogin) -> Failure {
        let name = AccountText.name(account.account)
        return Failure(
            .loginNeeded, "token_refused", "the PDS of \(name) refuses a token that was just issued",
            hint:
                "look for the reason with bskyauth doctor, or log in again:  \(AccountText.loginCommand(account))",
            account: name)
    }

    static let endsSoonCode = "session_ends_soon"

    /// The failure of `--fail-if-session-ends-within`.
    static func sessionEndsSoon(_ account: Account, _ session: Session, now: Date) -> Failure {
        let name = AccountText.name(account)
        let end = TimeText.relative(session.endsAt, to: now)
        if session.endsAt == session.idleEndsAt {
            return Failure(
                .loginNeeded, endsSoonCode,
                "the session of \(name) ends \(end) unless it is refreshed",
                hint: "bskyauth refresh --force \(AccountText.selector(account))", account: name)
        }
        return Failure(
            .loginNeeded, endsSoonCode,
            "the session of \(name) ends \(end); a refresh does not extend it",
            hint: AccountText.loginCommand(account, LoginTerms(session)), account: name)
    }
}
