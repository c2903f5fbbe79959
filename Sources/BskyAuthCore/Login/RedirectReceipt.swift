/// The result of one request to the redirect URI, for the page in the browser.
package enum RedirectReceipt: Sendable {
    /// The request does not belong to this login: its state is wrong, missing or malformed. The login keeps waiting.
    case notOurs
    /// The login has ended, with success or with an error.
    case settled(Result<LoginOutcome, any Error>)
}
