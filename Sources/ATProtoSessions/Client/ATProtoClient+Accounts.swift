internal import ATPNetworking
internal import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ATProtoClient {
    /// All accounts of the store, in the order of their first login.
    public var accounts: [Account] {
        get async throws(ATProtoFailure) {
            do {
                return try await store.accounts().sorted { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }
            } catch {
                throw ATProtoFailure(error)
            }
        }
    }

    /// Calls the server of an account as the account. The session is refreshed when it needs to be.
    ///
    /// - Parameter id: ``Account/id``. It is looked up at the first call.
    public func agent(for id: UUID) -> Agent { agents.agent(for: id, in: context) }

    /// Gets new tokens now. A call does it by itself when it needs to, so this is for sessions that are seldom used. Other
    /// callers wait, and the new tokens are saved before anybody uses them.
    ///
    /// A request that was sent goes on if the task is cancelled.
    public func refresh(_ id: UUID) async throws(ATProtoFailure) {
        do {
            _ = try await RefreshFlow(context).refresh(
                id, options: RefreshFlow.Options(isForced: true), lockTimeout: Turn.longest)
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Rotates the tokens of an account for another process, whose ``RotationRunner`` asks for it.
    public func rotate(for request: RotationRequest) async throws(ATProtoFailure) -> RefreshOutcome {
        do { return try await RefreshFlow(context).rotate(for: request) } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Ends a session at its server (RFC 7009), and removes the account from the store.
    ///
    /// The account always stays if the key of a confidential client is not here, or the server refuses that client: its session
    /// could live for years.
    ///
    /// - Parameters:
    ///   - id: ``Account/id``.
    ///   - isStrict: whether the account stays if the server could not be told.
    /// - Returns: whether the server was told. A server that says yes may still keep the session.
    @discardableResult
    public func logOut(_ id: UUID, isStrict: Bool = false) async throws(ATProtoFailure) -> Bool {
        let account: Account
        do { account = try await store.account(id) } catch { throw ATProtoFailure(error) }
        let ending = Mutex<Result<Void, any Error>?>(nil)
        do {
            try await store.remove(id) { session, keep in
                do {
                    try await self.end(try session.get(), of: account, keeping: keep)
                    ending.withLock { $0 = .success(()) }
                    return true
                } catch {
                    ending.withLock { $0 = .failure(error) }
                    return !isStrict && !Self.keepsAccount(error)
                }
            }
        } catch {
            throw ATProtoFailure(error, notRemoving: account, after: ending.withLock(\.self))
        }
        var wasTold = true
        if case .failure(let error) = ending.withLock(\.self) {
            if isStrict || Self.keepsAccount(error) { throw ATProtoFailure(error) }
            wasTold = false
        }
        SessionCache.forget(id, in: network.caches)
        agents.forget(id)
        hub.tell(.loggedOut, account)
        return wasTold
    }

    /// What happens to the accounts of this client from now on. Each call has its own sequence, which ends with the client.
    /// It keeps the newest 1,000 events for a listener that is slow. Saving does not depend on it.
    public var events: AsyncStream<SessionEvent> { hub.listen() }

    private func end(_ session: Session, of account: Account, keeping keep: (Session) async throws -> Void)
        async throws
    {
        guard session.hasTokens, let credential = session.credential.oauth else { return }
        _ = try await SessionEnd(network, of: account).end(
            session, credential, try identity.assertions(for: credential.client),
            SessionCache(account: account.id, store: network.caches), keeping: keep)
    }

    private static func keepsAccount(_ error: any Error) -> Bool {
        switch error {
        case SessionFailure.clientKeyMissing, SessionFailure.logoutRefused: true
        default: false
        }
    }

    /// Ends a session that a new login has replaced. The new one is saved already, so a failure only leaves the old one to
    /// its own end.
    func endReplaced(_ session: Session, of account: Account) async {
        do { try await end(session, of: account) { _ in } } catch {
            network.note("the replaced session was not revoked", error)
        }
    }

    // MARK: Archives

    /// An account with its session, to move it to another machine or another store. Remove it here when it has arrived:
    /// with two copies, the first refresh ends the session of the other one.
    public func archive(of id: UUID) async throws(ATProtoFailure) -> SessionArchive {
        do {
            return SessionArchive(try await store.account(id), try await store.session(id))
        } catch {
            throw ATProtoFailure(error)
        }
    }

    /// Saves an account of an archive with its session. The session's next request shows whether it still works.
    ///
    /// - Returns: the account.
    /// - Throws: ``ATProtoFailure/Code/invalidArgument`` if the store has a session of the account already, and for an account
    ///   of another network.
    public func restore(_ archive: SessionArchive) async throws(ATProtoFailure) -> Account {
        do {
            let account = archive.account
            guard account.devNetwork == network.policy.devNetwork else {
                throw ATProtoFailure(.invalidArgument, "\(account.name) is an account of another network")
            }
            let saved = try await logins.hold(account.did, waiting: Turn.longest) {
                () async throws(StoreError) in
                try await store.saveLogin(account, archive.session, replacing: false)
            }
            guard saved != nil else {
                throw ATProtoFailure(.invalidArgument, "the store has a session of \(account.name) already")
            }
            hub.tell(.loggedIn, account)
            return account
        } catch {
            throw ATProtoFailure(error)
        }
    }
}

/// The agents of a client. All callers of an account share what its agent has learned of the account's server.
final class SharedAgents: Sendable {
    private let agents = Mutex<[UUID: Agent]>([:])

    /// The most agents that are kept.
    private static let most = 16_384

    func agent(for id: UUID, in context: SessionContext) -> Agent {
        agents.withLock { agents in
            if let agent = agents[id] { return agent }
            if agents.count >= Self.most { agents = [:] }
            let agent = Agent(CallFlow(context, as: id))
            agents[id] = agent
            return agent
        }
    }

    /// Has the next caller learn anew, after a login or a logout.
    func forget(_ id: UUID) { agents.withLock { $0[id] = nil } }
}
