/// The result of a refresh that did not fail.
package enum RefreshOutcome: String, Sendable {
    case refreshed
    /// No refresh was needed.
    case fresh
    /// Another process had refreshed the session.
    case adopted
}
