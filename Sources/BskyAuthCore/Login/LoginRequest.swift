package import ATProto
package import OAuth

/// What the user asked for.
package struct LoginRequest: Sendable {
    package let identifier: LoginIdentifier
    package let label: String?
    package let scope: Scope
    /// A hosted client to log in as; nil for the loopback client, which needs no registration.
    package let client: ClientID?
    /// Ports the listener may use; nil for any.
    package let ports: ClosedRange<Int>?
    package let timeout: Duration
    /// Whether the account becomes the active one even if another is.
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

    /// What a login asks for when nothing else is said.
    package static let defaultScope = "atproto transition:generic"
}
