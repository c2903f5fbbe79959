package import ATProtoSessions

extension Session {
    /// Whether the session may still be refreshed.
    ///
    /// - Parameter isForced: whether to try even if the server's last answers were unclear.
    func checkUsable(_ profile: AccountProfile, isForced: Bool) throws {
        if let ending, !(isForced && state == .uncertain) {
            throw CoreError.sessionEnded(AccountLogin(profile, self), ending)
        }
        guard refreshToken != nil else {
            throw CoreError.sessionEnded(AccountLogin(profile, self), .notRefreshable)
        }
    }
}

extension Session {
    /// Why the session can't be used; nil while its state is ok.
    package var ending: SessionEnding? {
        switch state {
        case .ok: nil
        case .expired:
            lastError == SessionEnding.lostRotationName ? .lostRotation(after: nil) : .expired(said: nil)
        case .quarantined: .quarantined
        case .uncertain: lastError == SessionEnding.unreadableName ? .unreadable : .uncertain
        }
    }
}

extension SessionEnding {
    /// The value of ``Session/lastError`` after a lost rotation.
    static let lostRotationName = "lost_rotation"
    /// The value of ``Session/lastError`` in an uncertain session if an earlier attempt got no answer.
    static let unansweredName = "refresh_unanswered"
    /// The value of ``Session/lastError`` in an uncertain session if the last answer could not be read.
    static let unreadableName = "answer_unreadable"
}
