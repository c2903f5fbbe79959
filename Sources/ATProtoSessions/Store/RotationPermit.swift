package import OAuthDPoP

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The right to spend the refresh token of a session once. Only a store makes one, while it lets no other caller into the
/// session. What sends the token gets it from the permit only, once, after the store has noted the attempt.
public struct RotationPermit: ~Copyable, Sendable {
    /// The session that is stored now.
    package let session: Session
    /// The last attempt with the same token, if it is not known what became of it.
    package let earlier: RotationIntent?
    private let begin: @Sendable (RotationIntent) async throws(StoreError) -> ContinuousClock.Instant?

    /// - Parameters:
    ///   - session: the session that is stored now.
    ///   - earlier: the attempt that is noted for the session, whatever its token.
    ///   - begin: notes durably that the token is about to be sent. If it throws, nothing is sent.
    public init(
        session: Session, earlier: RotationIntent?,
        begin: @escaping @Sendable (RotationIntent) async throws(StoreError) -> Void
    ) {
        self.init(
            limited: session, earlier: earlier,
            begin: { intent async throws(StoreError) in
                try await begin(intent)
                return nil
            })
    }

    /// - Parameter begin: notes durably that the token is about to be sent. It returns when the token must have begun to go out
    ///   at the latest; nil for no such moment. If it throws, nothing is sent.
    package init(
        limited session: Session, earlier: RotationIntent?,
        begin:
            @escaping @Sendable (RotationIntent) async throws(StoreError) -> ContinuousClock.Instant?
    ) {
        self.session = session
        self.earlier = earlier?.tokenFingerprint == session.refreshToken?.fingerprint ? earlier : nil
        self.begin = begin
    }

    /// The token, which the caller sends now, and when it must have begun to go out at the latest.
    ///
    /// - Throws: ``StoreError/Code/notBegun``; also if the session has no refresh token.
    ///   ``StoreError/Code/overtaken`` if somebody else has the right to spend it; the store then reads the session again.
    package consuming func spend(
        at now: Date
    ) async throws(StoreError) -> (token: RefreshToken, sentBy: ContinuousClock.Instant?) {
        guard let token = session.refreshToken else { throw StoreError(.notBegun, MissingRefreshToken()) }
        let sentBy = try await begin(
            RotationIntent(
                tokenFingerprint: token.fingerprint, startedAt: now, attempt: (earlier?.attempt ?? 0) + 1))
        return (token, sentBy)
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
public enum RotationResult: Sendable {
    /// The server gave new tokens. The store saves this session, and forgets the attempt.
    case rotated(Session)
    /// The server did not use the token, or it was not sent. The store notes the attempt again that was noted before, if there
    /// was one.
    case notSpent
    /// The server may have used the token. The attempt stays noted, with the answer if there was one
    /// (``RotationIntent/answered(_:)``).
    case unknown(RotationIntent.Answer?)
    /// The token must not be sent again. The store saves this session with its new state, and forgets the attempt. A store
    /// that outlives the process also saves the bytes of an answer that could not be read, because they may hold the only
    /// tokens that work. They are secret.
    case ended(Session, unread: [UInt8]? = nil)
}
