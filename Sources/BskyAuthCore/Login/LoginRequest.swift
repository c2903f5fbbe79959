package import ATProto
package import OAuth

/// The user's settings for a login.
package struct LoginRequest: Sendable {
    package let identifier: LoginIdentifier
    package let label: String?
    package let scope: Scope
    /// The hosted client to log in with; nil for the loopback client. The loopback client needs no registration.
    package let client: ClientID?
    /// The ports that the listener may use; nil for any port.
    package let ports: ClosedRange<Int>?
    package let timeout: Duration
    /// Whether the account becomes active even if another account is active.
    package let makesActive: Bool

    package init(
        identifier: LoginIdentifier, label: String?, scope: Scope, client: ClientID? = nil,
        ports: ClosedRange<Int>?,
        timeout: Duration, makesActive: Bool
    ) {
        self.identifier = identifier
        self.label = label
        self.scope = scope
        self.client = client
        self.ports = ports
        self.timeout = timeout
        self.makesActive = makesActive
    }

    /// The scope of a login without `--scope`.
    package static let defaultScope = "atproto transition:generic"
}
