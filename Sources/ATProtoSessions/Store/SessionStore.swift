package import FoundationEssentials

/// Keeps the sessions of accounts, and owns the moment in which a refresh token is spent.
///
/// A server takes a refresh token once. If two tasks send the same token, or if the answer is not saved, the session is
/// lost. So the store, and not its user, decides who may spend a token: ``rotate(_:holding:waiting:_:)`` lets one caller at
/// a time in, and saves what became of the token before it lets the next one in.
///
/// An actor alone does not exclude others here, because an actor may be entered again while it waits for the closure.
package protocol SessionStore: Sendable {
    /// The session of an account.
    func session(_ id: UUID) async throws(StoreError) -> Session

    /// Lets one caller spend the refresh token of a session.
    ///
    /// A store does this, in this order:
    ///
    /// 1. It lets no other task and no other process into the session until it returns.
    /// 2. It reads the session. If its access token has another fingerprint than `holding`, another caller has refreshed it,
    ///    and the store returns it.
    /// 3. It calls `spend` once with a permit.
    /// 4. It saves the result durably, and returns the saved session.
    ///
    /// Once the token was taken from the permit, the store must save the result even if the task is cancelled.
    ///
    /// - Parameters:
    ///   - holding: the fingerprint of the access token that the caller has seen (``Session/tokenFingerprint``).
    ///   - limit: how long to wait for another caller; zero for not at all.
    ///   - spend: sends the token and says what became of it.
    /// - Returns: the session that is stored now.
    /// - Throws: ``StoreError/Code/busy`` after `limit`; ``StoreError/Code/notBegun`` if nothing was sent;
    ///   ``StoreError/Code/notKept`` if the token may be spent and the result could not be saved.
    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session
}

/// Why a store could not do what it was asked for.
package struct StoreError: Error, Sendable {
    package struct Code: Sendable, Hashable {
        private let name: String

        /// Another caller uses the session. The wait reached its limit.
        package static let busy = Code(name: "busy")
        /// The store could not prepare for the spending of a token. Nothing was sent.
        package static let notBegun = Code(name: "not_begun")
        /// The answer to a refresh could not be saved. The refresh token may be spent.
        package static let notKept = Code(name: "not_kept")
        /// Somebody else saved a session of the account meanwhile, for example by a login. The answer was not saved.
        package static let overtaken = Code(name: "overtaken")
        /// The store has no session of this account.
        package static let noSuchSession = Code(name: "no_such_session")
        /// The task was cancelled while it waited for another caller.
        package static let cancelled = Code(name: "cancelled")
        /// Anything else. The session may have been saved.
        package static let failed = Code(name: "failed")
    }

    package let code: Code
    /// The store's own error.
    package let cause: any Error

    package init(_ code: Code, _ cause: any Error) {
        self.code = code
        self.cause = cause
    }
}
