/// What became of one visit to the redirect URI: what the page in the browser tells.
package enum RedirectReceipt: Sendable {
    /// Not the answer that is awaited (another state, no state, garbage): the login goes on waiting.
    case notOurs
    /// The login is over, one way or the other.
    case settled(Result<LoginOutcome, any Error>)
}
