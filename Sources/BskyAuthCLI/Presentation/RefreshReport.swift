internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// The results of a refresh, for each account.
struct RefreshReport {
    /// The result for one account.
    struct Item {
        let id: UUID
        let handle: String?
        let status: String
        /// The session that is stored now, refreshed or not; nil if it is unreadable.
        let session: Session?
        /// The reason why the account was not refreshed.
        let failure: Failure?
        /// The failure of a session that ends too soon.
        let ending: Failure?
        /// How the grant changed; nil if this command did not refresh the session.
        let change: GrantChange?
        /// The server that the account has moved to, if that is known.
        var movedTo: String?

        var failures: [Failure] { [failure, ending].compactMap(\.self) }

        /// One end of the session; nil without it, or if the session ended before it at an unknown time.
        func end(_ which: (Session) -> Date?) -> String? {
            status == "expired" ? nil : session.flatMap(which).map { TimeText.rfc3339($0) }
        }
    }

    /// A session that ends within this number of seconds is a failure; nil for no limit.
    let failsWithin: Double?
    let now: Date
    private(set) var items: [Item] = []

    init(failsWithin: Double?, now: Date) {
        self.failsWithin = failsWithin
        self.now = now
    }

    mutating func append(_ items: [Item]) {
        self.items += items
    }

    /// - Parameter stored: the stored session of an account that was not refreshed; nil if it is unreadable. Its dates
    ///   are known even if the server failed.
    func item(_ attempt: RefreshAllFlow.Attempt, stored: Session?) -> Item {
        let account = attempt.account
        let handle = account.handle?.description
        switch attempt.result {
        case .success(let (outcome, session)):
            return Item(
                id: account.id, handle: handle, status: outcome.rawValue, session: session, failure: nil,
                ending: ending(session, account), change: GrantChange(attempt))
        case .failure(let error):
            return failed(
                account.id, handle, ErrorPresenter.failure(for: error), stored: stored,
                ending: stored.flatMap { ending($0, account) })
        }
    }

    func failed(
        _ id: UUID, _ handle: String?, _ failure: Failure, stored: Session? = nil, ending: Failure? = nil
    ) -> Item {
        Item(
            id: id, handle: handle, status: failure.status == .loginNeeded ? "expired" : "failed",
            session: stored, failure: failure, ending: failure.status == .loginNeeded ? nil : ending,
            change: nil)
    }

    func ending(_ session: Session, _ account: Account) -> Failure? {
        guard let failsWithin, session.endsAt.timeIntervalSince(now) < failsWithin else { return nil }
        return ErrorPresenter.sessionEndsSoon(account, session, now: now)
    }

    /// The line for an account that was refreshed or needed no refresh; nil after a failure.
    func line(_ attempt: RefreshAllFlow.Attempt) -> String? {
        guard case .success(let (outcome, session)) = attempt.result else { return nil }
        var line =
            "\(outcome.rawValue): \(AccountText.name(attempt.account)), access token expires "
            + TimeText.relative(session.accessExpiresAt, to: now)
        if session.endsAt.timeIntervalSince(now) < AccountText.expiringWithin {
            line += ", session ends \(TimeText.relative(session.endsAt, to: now))"
        }
        return line
    }

    /// The failure of the command: the first one that is not temporary, or else the first one.
    var failure: Failure? {
        let failures = items.flatMap(\.failures)
        return failures.first { !$0.status.isRetryable } ?? failures.first
    }

    var json: JSONValue {
        let results = items.map { item -> JSONValue in
            [
                "id": .string(item.id.text),
                "handle": JSONValue(item.handle),
                "status": .string(item.status),
                "access_expires_at": JSONValue(item.session.map { TimeText.rfc3339($0.accessExpiresAt) }),
                "session_ends_at": JSONValue(item.end { $0.lifeEndsAt ?? $0.idleEndsAt }),
                "idle_ends_at": JSONValue(item.end(\.idleEndsAt)),
                "session_ends_soon": .bool(item.ending != nil),
                "error": JSONValue(item.failures.first?.code),
                "scopes_added": item.change.map { JSONValue($0.added) } ?? .null,
                "scopes_removed": item.change.map { JSONValue($0.removed) } ?? .null,
                "moved_to": JSONValue(item.movedTo),
            ]
        }
        var summary = JSONObject()
        for status in ["refreshed", "fresh", "adopted", "expired", "failed"] {
            summary[status] = JSONValue(items.filter { $0.status == status }.count)
        }
        return ["schema": "bskyauth.refresh/1", "results": .array(results), "summary": .object(summary)]
    }
}

/// How a refresh changed what the session may do, in the smallest scopes. The author of a permission set can change it, and servers
/// read it again at a refresh.
struct GrantChange {
    let added: [String]
    let removed: [String]

    /// Nil if the session was not refreshed by this command.
    init?(_ attempt: RefreshAllFlow.Attempt) {
        guard case .success(let (.refreshed, session)) = attempt.result, let before = attempt.scope else {
            return nil
        }
        let (old, new) = (Permissions(before.values), Permissions(session.scope.values))
        added = new.beyond(old)
        removed = old.beyond(new)
    }

    /// A line for people; nil if nothing changed.
    func line(_ account: Account) -> String? {
        let parts = [("allows", added), ("no longer allows", removed)].filter { !$0.1.isEmpty }
        guard !parts.isEmpty else { return nil }
        return "the server now " + parts.map { "\($0.0) \(ScopeText.list($0.1))" }.joined(separator: ", and ")
            + " for \(AccountText.name(account))"
    }
}

extension Error {
    /// The server that a refresh has found the account at; nil if the error is another one.
    var movedTo: String? {
        switch self as any Error {
        case SessionFailure.accountMoved(_, let server, _): server.description
        case let failure as KeeperFailure: failure.movedTo
        default: nil
        }
    }
}
