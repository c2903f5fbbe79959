package import ATPCryptography
package import FoundationEssentials
package import OAuthDPoP

/// The right to spend the refresh token of a session once. Only a store makes one, while it lets no other caller into the
/// session. A flow sends only the token that ``spend(at:)`` returns, never that of ``session``.
package struct RotationPermit: ~Copyable, Sendable {
    /// The session that is stored now.
    package let session: Session
    /// The last attempt with the same token, if it is not known what became of it.
    package let earlier: RotationIntent?
    private let begin: @Sendable (Date) async throws(StoreError) -> Void

    /// - Parameter begin: notes durably that the token is about to be sent. If it throws, nothing is sent.
    package init(
        session: Session, earlier: RotationIntent?,
        begin: @escaping @Sendable (Date) async throws(StoreError) -> Void
    ) {
        self.session = session
        self.earlier = earlier
        self.begin = begin
    }

    /// The token, which the caller sends now.
    ///
    /// - Throws: ``StoreError/Code/notBegun``; also if the session has no refresh token.
    package consuming func spend(at now: Date) async throws(StoreError) -> RefreshToken {
        guard let token = session.refreshToken else { throw StoreError(.notBegun, MissingRefreshToken()) }
        try await begin(now)
        return token
    }
}

/// A session without a refresh token can't be refreshed.
package struct MissingRefreshToken: Error {}

/// A closure returned what became of a token that it had not taken from its permit. That is a defect of the caller.
package struct ResultWithoutSpending: Error {
    package init() {}
}

/// The result of a rotation. It says whether the refresh token was spent.
///
/// A closure can't forget to say it, because it has to return one of these and can't throw. The cases are all that can
/// happen, so none will be added.
package enum RotationResult: Sendable {
    /// The server gave new tokens. The store saves this session.
    case rotated(Session)
    /// The server did not use the token, or it was not sent. An earlier attempt with it stays noted.
    case notSpent
    /// The server may have used the token. The attempt stays noted, with the answer if there was one.
    case unknown(RotationIntent.Answer?)
    /// The token must not be sent again. The store saves this session with its new state. A store that outlives the process
    /// also saves the bytes of an answer that could not be read, because they may hold the only tokens that work.
    case ended(Session, unread: SecretBytes? = nil)
}
