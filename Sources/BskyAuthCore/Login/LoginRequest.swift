package import ATProtoIdentity
package import OAuthDPoP

/// The user's settings for a login.
package struct LoginRequest: Sendable {
    package let identifier: LoginIdentifier
    package let label: String?
    package let scope: Scope
    package let client: LoginClient
    /// Whether the browser runs on this machine, as far as it is known. Otherwise the page of the user's client shows what
    /// to paste, and hands nothing on.
    package let browserIsHere: Bool
    /// The ports that the listener may use; nil for any port.
    package let ports: ClosedRange<Int>?
    package let timeout: Duration
    /// Whether the account becomes active even if another account is active.
    package let makesActive: Bool

    package init(
        identifier: LoginIdentifier, label: String?, scope: Scope, client: LoginClient = .loopback,
        browserIsHere: Bool = true, ports: ClosedRange<Int>?,
        timeout: Duration, makesActive: Bool
    ) {
        self.identifier = identifier
        self.label = label
        self.scope = scope
        self.client = client
        self.browserIsHere = browserIsHere
        self.ports = ports
        self.timeout = timeout
        self.makesActive = makesActive
    }

    /// The scope of a login without `--scope`.
    package static let defaultScope = "atproto transition:generic"
}
