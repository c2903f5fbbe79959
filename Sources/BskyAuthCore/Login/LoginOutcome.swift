package import ATProtoSessions
package import ATProtoXRPC

/// The result of a saved login.
package struct LoginOutcome: Sendable {
    package let account: Account
    package let session: Session
    /// Whether an earlier session of the same account and label was replaced.
    package let replacedSession: Bool
    /// Whether the account is now the active one.
    package let isActive: Bool
    /// What was requested and not granted.
    package let missingScopes: [MissingScope]
}
