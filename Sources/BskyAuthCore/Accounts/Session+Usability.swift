extension Session {
    /// Whether the session may still be refreshed.
    ///
    /// - Parameter isForced: whether to try even if the server's last answers were unclear.
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
    /// The value of ``Session/lastError`` after a lost rotation.
    static let lostRotationName = "lost_rotation"
    /// The value of ``Session/lastError`` in an uncertain session if an earlier attempt got no answer.
    static let unansweredName = "refresh_unanswered"
}
