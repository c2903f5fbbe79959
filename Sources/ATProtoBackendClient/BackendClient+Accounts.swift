internal import ATPNetworking
public import ATProtoSessions

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension BackendClient {
    /// The session as the app has it; nil without a login. Nothing is sent.
    ///
    /// - Throws: `ATProtoFailure.Code.store`.
    public var session: BackendSession? {
        get async throws(ATProtoFailure) { try await store.session() }
    }

    /// Asks the server for a session that lasts longer, after it has checked the active account. A request does it by itself
    /// once a day, so this is for apps that want to know whether the account still works.
    ///
    /// An account that has ended leaves the session. The session goes on with the others, and none of them is active.
    ///
    /// Tasks that refresh at the same time share one refresh. A request that was sent goes on if the task is cancelled.
    ///
    /// - Throws: `ATProtoFailure.Code.sessionEnded` if only a new login helps; the session is removed if a check says so too.
    ///   `.notRefreshed` if the server of the account can't be reached or refuses the account, and `.network` if the backend
    ///   can't be reached; the session stays.
    @discardableResult
    public func refresh() async throws(ATProtoFailure) -> BackendSession {
        guard let seen = try await store.session() else { throw Self.notLoggedIn }
        return try await store.alone { () async throws(ATProtoFailure) in
            guard let present = try await store.session() else { throw Self.ended }
            // Another task has refreshed it meanwhile.
            guard present.token == seen.token else { return present }
            return try await renew(present)
        }
    }

    // MARK: Accounts

    /// The accounts of the session, in the order of their logins.
    public func accounts() async throws(ATProtoFailure) -> [BackendAccount] {
        try await Backend.accounts(try await authorized(backend.listing).response)
    }

    /// Makes an account of the session active. The calls of every task act as it from then on.
    ///
    /// - Parameter account: ``BackendAccount/id``.
    /// - Throws: `ATProtoFailure.Code.unknownAccount` if it is not of this session.
    @discardableResult
    public func activate(_ account: UUID) async throws(ATProtoFailure) -> BackendSession {
        guard let session = try await change(.activation(of: account)) else { throw Self.ended }
        return session
    }

    /// Logs out an account of the session. No account is active after the logout of the active one.
    ///
    /// - Parameter account: ``BackendAccount/id``; nil for the active account.
    /// - Returns: the session with the other accounts; nil if there are none, so that it has ended.
    @discardableResult
    public func logOut(_ account: UUID? = nil) async throws(ATProtoFailure) -> BackendSession? {
        try await change(.logOut(account))
    }

    /// Logs out all accounts of the session, and removes it from the storage.
    ///
    /// - Parameter isStrict: whether the session stays if the server could not be told.
    /// - Returns: whether the server was told. Otherwise the session ends when its time is used up.
    @discardableResult
    public func logOutAll(isStrict: Bool = false) async throws(ATProtoFailure) -> Bool {
        try await store.alone { () async throws(ATProtoFailure) in
            guard let present = try await store.session() else {
                // An earlier logout may not have reached the storage.
                try await store.saveWhatIsUnsaved()
                return true
            }
            var wasTold = true
            do throws(ATProtoFailure) {
                _ = try await backend.change(.logOutAll, present.token)
            } catch {
                wasTold = error.code == .sessionEnded
                if isStrict, !wasTold { throw error }
            }
            try await store.keep(nil)
            return wasTold
        }
    }

    /// Logs the person of the active account out of every session of the server, also on other devices.
    ///
    /// - Returns: the session with the other accounts; nil if there are none, so that it has ended.
    @discardableResult
    public func logOutEverywhere() async throws(ATProtoFailure) -> BackendSession? {
        try await change(.logOutEverywhere)
    }

    // MARK: Changes

    /// The session for a request. It is refreshed first if a day has passed; if that fails for a temporary reason, it is used
    /// as it is.
    func usable() async throws(ATProtoFailure) -> BackendSession {
        guard let session = try await store.session() else { throw Self.notLoggedIn }
        guard needsWork(session) else { return session }
        return try await store.alone { () async throws(ATProtoFailure) in
            try await store.saveWhatIsUnsaved()
            guard let stored = try await store.session(), let present = try await settled(stored) else {
                throw Self.ended
            }
            guard needsWork(present) else { return present }
            do throws(ATProtoFailure) { return try await renew(present) } catch {
                guard error.mayPass else { throw error }
                store.postponeRefresh(until: max(error.retryAt ?? clock.now, clock.now + Self.pause))
                return present
            }
        }
    }

    /// How long requests go on without another attempt to refresh. It is shorter than the minute for which the session before a
    /// refresh stays good.
    static let pause = 20.0

    private func needsWork(_ session: BackendSession) -> Bool {
        store.hasUnsaved || session.refused != nil
            || (session.isAged(at: clock.now) && store.mayRefresh(at: clock.now))
    }

    /// The caller is alone with the session.
    func renew(_ session: BackendSession) async throws(ATProtoFailure) -> BackendSession {
        guard let session = try await settled(session) else { throw Self.ended }
        let renewed: BackendSession?
        do throws(ATProtoFailure) { renewed = try await apply(.refresh, to: session) } catch {
            guard error.code == .network, error.requestWasSent else { throw error }
            // The server may have refreshed it, and then this one is good for a minute. Refreshes within the minute are one.
            renewed = try await apply(.refresh, to: session)
        }
        guard let renewed else { throw Self.ended }
        return renewed
    }

    /// Changes the session at the server, and saves what it is then.
    private func change(_ change: Backend.Change) async throws(ATProtoFailure) -> BackendSession? {
        try await store.alone { () async throws(ATProtoFailure) in
            guard let present = try await store.session() else { throw Self.notLoggedIn }
            return try await apply(change, to: present)
        }
    }

    private func apply(
        _ change: Backend.Change, to session: BackendSession
    ) async throws(ATProtoFailure) -> BackendSession? {
        guard let session = try await settled(session) else { throw Self.ended }
        return try await keep(session) { () async throws(ATProtoFailure) in
            try await successor(of: session, after: change)
        }
    }

    /// The session without the account that was refused at its login, saved.
    private func settled(_ session: BackendSession) async throws(ATProtoFailure) -> BackendSession? {
        guard session.refused != nil else { return session }
        return try await keep(session) { () async throws(ATProtoFailure) in
            try await withoutRefused(session)
        }
    }

    /// Saves what a change makes of a session. The session is removed if its check says, too, that it has ended.
    private func keep(
        _ session: BackendSession, _ change: () async throws(ATProtoFailure) -> BackendSession?
    ) async throws(ATProtoFailure) -> BackendSession? {
        let changed: BackendSession?
        do throws(ATProtoFailure) { changed = try await change() } catch {
            if error.code == .sessionEnded, try await hasEnded(session) { try await store.keep(nil) }
            throw error
        }
        try await store.keep(changed)
        return changed
    }

    private func successor(
        of session: BackendSession, after change: Backend.Change
    ) async throws(ATProtoFailure) -> BackendSession? {
        let grant = try await backend.change(change, session.token)
        guard grant.isAuthenticated else { return nil }
        guard let token = grant.token else { throw Backend.unreadable }
        return BackendSession(id: session.id, token: token, of: grant, since: clock.now)
    }

    /// The session without the account that was refused at its login; nil if it has no other account.
    func withoutRefused(_ session: BackendSession) async throws(ATProtoFailure) -> BackendSession? {
        guard let refused = session.refused else { return session }
        do throws(ATProtoFailure) {
            return try await successor(of: session, after: .logOut(refused))
        } catch {
            guard error.code == .unknownAccount else { throw error }
            return session.refusing(nil)
        }
    }
}
