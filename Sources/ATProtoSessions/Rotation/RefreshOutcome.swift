/// The result of a refresh that did not fail. The cases are all that can happen, so none will be added.
public enum RefreshOutcome: String, Sendable {
    /// The session has new tokens.
    case refreshed
    /// No refresh was needed.
    case fresh
    /// Another task or process had refreshed the session.
    case adopted
}
