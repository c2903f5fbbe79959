internal import ATPCryptography
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Rotation {
    /// Decides after a failed request whether the token was spent, and which error the caller gets.
    func judge(
        _ failure: RotationFailure, _ stored: Session, after earlier: RotationIntent?
    ) -> (RotationResult, any KnownError) {
        let isRetry = isRetry(stored, after: earlier)
        switch failure.verdict {
        case .invalidGrant where isRetry, .unknownToken where isRetry:
            // After an unclear attempt, this error shows that the server had completed that attempt.
            return ended(
                stored, .expired, SessionEnding.lostRotationName,
                .lostRotation(after: earlier?.answer?.unclearStatus))
        case .invalidGrant:
            return ended(stored, .expired, "invalid_grant", .expired(said: failure.serverWords))
        case .refused where isRetry && !serves(stored), .unexplained where !serves(stored),
            .unknownToken where !serves(stored):
            let reason = isRetry ? SessionEnding.unansweredName : "refresh_refused"
            let known = stored.lastError == SessionEnding.unreadableName ? stored.lastError : nil
            return ended(stored, .uncertain, known ?? reason, .uncertain)
        case .clientRefused(let answer) where !isRetry:
            let wait = max(answer.retryAfter.map(Double.init) ?? 0, 60)
            return postponed(earlier, answer.status, for: wait, failure.error, isUnseen: true)
        case .notNow(let answer) where isRetry, .clientRefused(let answer):
            let usual = attempt(after: earlier) <= 10 ? 60 : Self.longestWait
            return postponed(
                earlier, answer.status, for: max(answer.retryAfter.map(Double.init) ?? 0, usual),
                failure.error)
        case .failed(let answer):
            let usual = Double(min(5 << min(attempt(after: earlier) - 1, 6), 300))
            return postponed(
                earlier, answer.status, for: answer.retryAfter.map(Double.init) ?? usual, failure.error)
        case .unreadable(let tokens):
            return ended(stored, .uncertain, SessionEnding.unreadableName, .unreadable, tokens.body.bytes)
        case .nothingSent, .refused, .unexplained, .unknownToken, .notNow: return (.notSpent, failure.error)
        case .unanswered: return (.unknown(nil), failure.error)
        }
    }

    /// Whether an earlier attempt with the token got no answer. The intent or the state of the session shows that.
    private func isRetry(_ stored: Session, after earlier: RotationIntent?) -> Bool {
        let unclear: [String?] = [SessionEnding.unansweredName, SessionEnding.unreadableName]
        if stored.state == .uncertain, unclear.contains(stored.lastError) { return true }
        return earlier.map { $0.answer?.isUnseen != true } ?? false
    }

    private func attempt(after earlier: RotationIntent?) -> Int { (earlier?.attempt ?? 0) + 1 }

    private func ended(
        _ stored: Session, _ state: SessionState, _ lastError: String, _ ending: SessionEnding,
        _ unread: [UInt8]? = nil
    ) -> (RotationResult, any KnownError) {
        var session = stored
        session.state = state
        session.lastError = lastError
        return (
            .ended(session, unread: unread),
            SessionFailure.sessionEnded(AccountLogin(account, stored), ending)
        )
    }

    /// An answer that says nothing about the token. For so many seconds no process sends the token.
    private func postponed(
        _ earlier: RotationIntent?, _ status: Int, for seconds: Double, _ error: any KnownError,
        isUnseen: Bool = false
    ) -> (RotationResult, any KnownError) {
        let wait = max(1, min(seconds, Self.longestWait))
        let until = network.wallClock.now.addingTimeInterval(wait)
        let answer = RotationIntent.Answer(
            status: status, notBefore: until, earlierUnclearStatus: earlier?.answer?.unclearStatus,
            isUnseen: isUnseen)
        return (.unknown(answer), SessionFailure.refreshFailed(error, retryAt: until))
    }
}
