internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import HTTPTypes
internal import Logging

/// Opens, refreshes, changes and ends the sessions of apps and browsers.
struct Sessions: Sendable {
    let book: SessionBook
    let ring: SealingRing
    let accounts: any OwnedAccounts
    let lastUse: LastUse
    let idle: Duration
    let ttl: Duration
    let log: Logger
    let now: @Sendable () -> Date

    /// A session as an answer gives it to its holder.
    struct Grant: Sendable {
        /// The session's row.
        let id: UUID
        /// The sealed session.
        let text: String
        let expiry: Date
        let session: AppSession
    }

    /// The session of a token.
    ///
    /// - Throws: `Problem.sessionEnded` for every token that is not good now, whatever the reason.
    func open(_ token: String) async throws -> SessionBook.Found {
        let time = now()
        let sealed: SealedSession
        do { sealed = try SealedSession(token, openedBy: ring, at: time) } catch {
            throw Problem.sessionEnded
        }
        guard let found = try await book.find(sealed.session), found.session.accepts(sealed, at: time) else {
            throw Problem.sessionEnded
        }
        lastUse.note(found, at: time)
        return found
    }

    /// Begins a session with an account that has just logged in, or adds the account to a session.
    ///
    /// - Parameter earlier: the session that the login was begun in. Every sealed session of it ends.
    func begin(
        _ entry: AppSession.Entry, in app: String, adding earlier: SessionBook.Found?
    ) async throws -> Grant {
        var current = earlier
        while let found = current {
            var session = found.session
            let replaced = session.add(entry)
            guard session.accounts.count <= AppSession.mostAccounts else {
                await logOut(entry)
                throw Problem(
                    .badRequest, "too_many_accounts",
                    "This session has \(AppSession.mostAccounts) accounts already. Log out of one of them first."
                )
            }
            try await book.own(entry, by: found.id)
            if try await book.replace(found, with: session) {
                if let replaced { await logOut(replaced) }
                return try grant(session, found.id)
            }
            current = try await book.find(found.id)
        }
        var session = AppSession(of: app, at: now(), idle: idle, ttl: ttl)
        _ = session.add(entry)
        return try grant(session, try await book.create(session))
    }

    /// Moves the expiry of a session, after its account's server has said that the account still works. An account that has
    /// ended leaves the session.
    ///
    /// - Returns: the session, without an active account if that has ended.
    /// - Throws: `Problem.sessionEnded` if no account is left.
    func refresh(_ found: SessionBook.Found) async throws -> Grant {
        if let active = found.session.active {
            do { try await accounts.check(active) } catch {
                guard await hasEnded(active, after: error) else { throw Problem(check: error) }
                guard let rest = try await forget(active, in: found) else { throw Problem.sessionEnded }
                return try grant(rest, toHolderOf: found)
            }
        }
        return try await extend(found)
    }

    /// Moves the expiry of a session that has used up half of its time. A page without scripts can't ask for a refresh.
    ///
    /// - Returns: nil if there is time enough.
    func extendIfAged(_ found: SessionBook.Found) async throws -> Grant? {
        guard found.session.expiry < now() + Double(idle.components.seconds) / 2,
            found.session.expiry < found.session.ends
        else { return nil }
        return try await extend(found)
    }

    private func extend(_ found: SessionBook.Found) async throws -> Grant {
        var session = found.session
        session.refresh(at: now(), idle: idle)
        if try await book.replace(found, with: session) { return try grant(session, found.id) }
        guard let current = try await book.find(found.id) else { throw Problem.sessionEnded }
        return try grant(current.session, toHolderOf: found)
    }

    /// Makes another account of the session active.
    func activate(_ account: UUID, in found: SessionBook.Found) async throws -> Grant {
        var session = found.session
        guard session.activate(account) else { throw Problem.noSuchAccount }
        guard try await book.replace(found, with: session) else { throw Problem.changedMeanwhile }
        return try grant(session, found.id)
    }

    /// Logs an account of the session out. The session goes on with the others, without an active account if it was that one.
    ///
    /// - Returns: nil if no account is left, so that the session has ended.
    func logOut(_ account: UUID, of found: SessionBook.Found) async throws -> Grant? {
        guard let entry = found.session.accounts.first(where: { $0.id == account }) else {
            throw Problem.noSuchAccount
        }
        var session = found.session
        session.remove(account)
        let isChanged =
            session.accounts.isEmpty
            ? try await book.end(found) : try await book.replace(found, with: session)
        guard isChanged else { throw Problem.changedMeanwhile }
        await logOut(entry)
        return session.accounts.isEmpty ? nil : try grant(session, found.id)
    }

    /// Ends the session with all its accounts.
    func logOutAll(of found: SessionBook.Found) async throws {
        guard try await book.end(found) else { throw Problem.changedMeanwhile }
        for entry in found.session.accounts { await logOut(entry) }
    }

    /// Logs the person of the active account out of every session of this server.
    ///
    /// - Returns: the caller's session without the account; nil if it has ended.
    func logOutEverywhere(from found: SessionBook.Found) async throws -> Grant? {
        guard let active = found.session.activeEntry else { throw Problem.noActiveAccount }
        for (account, _) in try await book.owners(of: active.did) where account != active.id {
            try await end(AppSession.Entry(id: account, did: active.did))
        }
        return try await logOut(active.id, of: found)
    }

    /// Takes an account out of the session that owns it, if there is one, and logs it out.
    func end(_ entry: AppSession.Entry) async throws {
        if let owner = try await book.owner(of: entry)?.session, let found = try await book.find(owner),
            found.session.owns(entry.id)
        {
            try await forget(entry.id, in: found)
        } else {
            await logOut(entry)
        }
    }

    // MARK: Steps

    /// Whether a failure means that an account can never be used again, so that it leaves its session.
    func hasEnded(_ account: UUID, after failure: ATProtoFailure) async -> Bool {
        switch failure.code {
        case .sessionEnded, .unknownAccount: await accounts.hasEnded(account)
        default: false
        }
    }

    func grant(_ session: AppSession, _ id: UUID) throws -> Grant {
        Grant(
            id: id, text: try session.sealed(as: id).text(sealedBy: ring), expiry: session.expiry,
            session: session)
    }

    /// Gives a session, which another request has changed meanwhile, to who held it before. A login that was added to it is not
    /// for them.
    private func grant(_ session: AppSession, toHolderOf found: SessionBook.Found) throws -> Grant {
        guard session.accepts(found.session.sealed(as: found.id), at: now()) else {
            throw Problem.changedMeanwhile
        }
        return try grant(session, found.id)
    }

    /// Removes an account from a session, and logs it out. Tries again when another request has changed the session meanwhile.
    ///
    /// - Returns: the session as it is now; nil if it has ended, because no account is left.
    @discardableResult
    private func forget(_ account: UUID, in found: SessionBook.Found) async throws -> AppSession? {
        var current = found
        while let entry = current.session.accounts.first(where: { $0.id == account }) {
            var session = current.session
            session.remove(account)
            let isDone =
                session.accounts.isEmpty
                ? try await book.end(current) : try await book.replace(current, with: session)
            if isDone {
                await logOut(entry)
                return session.accounts.isEmpty ? nil : session
            }
            guard let next = try await book.find(current.id) else { return nil }
            current = next
        }
        return current.session
    }

    /// Ends an account that no session has any more. If its server can't be told now, ``Sweep`` does it later.
    private func logOut(_ entry: AppSession.Entry) async {
        do {
            if await accounts.logOut(entry.id, mustTell: true) == .done {
                try await book.release(entry)
            } else {
                try await book.own(entry, by: nil)
            }
        } catch {
            // The row names a session that does not have the account, which is the same for the sweep.
            log.warning("an owner row was not changed: \(error)", metadata: ["account": "\(entry.id)"])
        }
    }
}
