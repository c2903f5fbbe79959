package import ATProtoSessions

/// The result of a saved login.
package struct LoginOutcome: Sendable {
    package let account: Account
    package let session: Session
    /// Whether an earlier session of the same account and label was replaced.
    package let replacedSession: Bool
    /// Whether the account is now the active one.
    package let isActive: Bool
    /// Scopes that were requested but not granted.
    package let missingScopes: [String]
}
