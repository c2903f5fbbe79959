/// Decides what a call does after its access token was refused (decisions:Number-of-requests).
///
/// The refusal of a token that may be old says nothing about the session, because another process may have spent the token
/// while the call was on its way. So only a token that the call got by its own refresh a moment ago leads to a verdict, and only
/// after ``Step/confirm``.
///
/// This value knows the tokens of one call, by their fingerprints. It sends nothing.
struct RefusedToken: Sendable {
    /// The next step of the call.
    enum Step: Sendable, Hashable {
        /// Send the call with the recorded session.
        case send
        /// The record says that the session has ended. That is an answer of a server, which a refresh has written.
        case ended
        /// Refresh the session, or adopt the refresh of another process, and send the call with the result.
        case rotate
        /// Look under the account's lock whether the refused token is still the newest one, and ask the account's server.
        case confirm
        /// Others change the session faster than the call is answered. Nothing is known about the session.
        case giveUp
    }

    /// How often a call is sent at most.
    static let mostSendings = 5
    /// How often a call spends a refresh token at most.
    static let mostRotations = 2
    /// How long a token counts as the call's own. A long upload makes it old.
    static let freshness = Duration.seconds(60)

    /// The tokens that the call was sent with, in order.
    private var sent: [String] = []
    private var rotations = 0
    private var own: (token: String, since: ContinuousClock.Instant)?

    /// Notes that the call is sent with a token.
    mutating func noteSending(of token: String) { sent.append(token) }

    /// Notes a token that a refresh by this very call has brought.
    mutating func noteRotation(to token: String, at now: ContinuousClock.Instant) {
        rotations += 1
        own = (token, now)
    }

    /// Whether the call may be sent once more.
    var maySend: Bool { sent.count < Self.mostSendings }

    /// The step after a refusal of the token that was sent last.
    ///
    /// - Parameter recorded: the token of the session as it is recorded now; nil if that session has ended.
    func step(recorded: String?, at now: ContinuousClock.Instant) -> Step {
        guard let recorded else { return .ended }
        if !sent.contains(recorded) { return maySend ? .send : .giveUp }
        if let own, own.token == sent.last, own.since.duration(to: now) < Self.freshness { return .confirm }
        return maySend && rotations < Self.mostRotations ? .rotate : .giveUp
    }
}
