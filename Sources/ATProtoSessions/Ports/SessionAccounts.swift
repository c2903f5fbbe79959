internal import ATPNetworking
package import ATProtoIdentity

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The accounts that flows work with, wherever they are kept.
package protocol SessionAccounts: Sendable {
    /// The session of an account.
    func session(_ id: UUID) async throws -> Session
    /// An account of the present network.
    func account(_ id: UUID) async throws -> Account
    /// The store that owns the account's refresh token.
    func store(of account: Account) -> any RotationStore
    /// The error that a flow throws for a store's error. It should be a ``KnownError``, as ``StoreError`` itself is.
    func known(_ error: StoreError) -> any Error
    /// The last attempt with the session's refresh token, if it is not known what became of it.
    func openIntent(of id: UUID, _ session: Session) async throws -> RotationIntent?

    /// The server that keeps the session, and the identity if it was resolved for that. An issuer is verified before any
    /// request to it.
    func server(
        of session: Session, _ account: Account, _ cache: SessionCache
    ) async throws -> (any SessionServer, Identity?)
    /// Notes the PDS and the handle of an identity that was resolved just now.
    ///
    /// - Throws: ``StoreError/Code/busy`` if something has changed, and another process has had the account for as long as
    ///   `limit`.
    func follow(_ identity: Identity, of account: Account, waiting limit: Duration) async throws
    /// A session that has ended here, or the one that another machine has for the account since.
    func successor(of session: Session, of id: UUID, waiting limit: Duration) async throws -> Session
    /// A session that needs no refresh, when all copies of it are up to date.
    func settled(_ session: Session, of id: UUID, waiting limit: Duration) async throws -> Session
}

/// The accounts, the network and the helpers of a flow that sends requests with sessions.
package struct SessionContext: Sendable {
    package let accounts: any SessionAccounts
    package let network: NetworkEnvironment
    package let work: any UncancelledWork
    /// Runs rotations in a process that outlives this one; nil if this process runs them.
    package let keeper: (any RotationRunner)?

    package init(
        accounts: any SessionAccounts, network: NetworkEnvironment, work: any UncancelledWork,
        keeper: (any RotationRunner)?
    ) {
        self.accounts = accounts
        self.network = network
        self.work = work
        self.keeper = keeper
    }
}

extension SessionContext {
    /// The session of an account. If it has ended here, it is the one that another machine has for the account since.
    func session(_ id: UUID, waiting limit: Duration) async throws -> Session {
        let stored = try await accounts.session(id)
        guard stored.state != .ok else { return stored }
        return try await accounts.successor(of: stored, of: id, waiting: limit)
    }

    /// The session of an account that has not ended, on any machine.
    ///
    /// - Throws: ``SessionFailure/sessionEnded(_:_:)``
    @discardableResult
    package func usableSession(_ id: UUID, waiting limit: Duration) async throws -> Session {
        let session = try await session(id, waiting: limit)
        guard let ending = session.ending else { return session }
        throw SessionFailure.sessionEnded(AccountLogin(try await accounts.account(id), session), ending)
    }
}
