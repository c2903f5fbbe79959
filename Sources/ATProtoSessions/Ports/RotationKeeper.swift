package import FoundationEssentials

/// Runs rotations in a process of its own, the keeper, so that a rotation outlives the command that needs it.
package protocol RotationKeeper: Sendable {
    /// Rotates the tokens of an account.
    ///
    /// - Returns: nil if there is no keeper, or it ended without an answer. Then the caller rotates by itself, which is
    ///   as safe as a rotation after a kill.
    func rotate(_ request: RotationRequest) async throws -> RefreshOutcome?
}

/// A rotation that another process asks for.
package struct RotationRequest: Sendable, Equatable {
    package let account: UUID
    /// The fingerprint of the access token that the other process has seen.
    package let seen: String
    package let isForced: Bool
    /// Whether the server refused the access token.
    package let isRefused: Bool
    /// Whether to wait if an earlier refresh may still be answered, or must not be sent again yet.
    package let awaitsRefresh: Bool
    package let lockTimeout: Duration

    package init(
        account: UUID, seen: String, isForced: Bool, isRefused: Bool, awaitsRefresh: Bool,
        lockTimeout: Duration
    ) {
        self.account = account
        self.seen = seen
        self.isForced = isForced
        self.isRefused = isRefused
        self.awaitsRefresh = awaitsRefresh
        self.lockTimeout = lockTimeout
    }
}
