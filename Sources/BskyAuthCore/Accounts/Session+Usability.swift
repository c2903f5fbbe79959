extension Session {
    /// Whether the session may still be refreshed.
    ///
    /// - Parameter isForced: whether to try even where the server's last answers were unclear.
    func checkUsable(_ profile: AccountProfile, isForced: Bool) throws {
        switch state {
        case .ok: break
        case .expired:
            let isLost = lastError == SessionEnding.lostRotationName
            throw CoreError.sessionEnded(AccountLogin(profile, self), isLost ? .lostRotation : .expired)
        case .quarantined: throw CoreError.sessionEnded(AccountLogin(profile, self), .quarantined)
        case .uncertain:
            if !isForced { throw CoreError.sessionEnded(AccountLogin(profile, self), .uncertain) }
        }
        guard refreshToken != nil else {
            throw CoreError.sessionEnded(AccountLogin(profile, self), .notRefreshable)
        }
    }
}

extension SessionEnding {
    /// What ``Session/lastError`` says after a rotation was lost.
    static let lostRotationName = "lost_rotation"
    /// What an uncertain session had last where an attempt before it went unanswered.
    static let unansweredName = "refresh_unanswered"
}
