/// Which servers may be spoken to. The transport asks before it opens anything.
///
/// A real network is https only and public addresses only. The dev network is its counterpart for tests and
/// offline work: plain http is allowed there, and nothing but loopback.
package struct NetworkPolicy: Sendable, Hashable {
    package enum Refusal: Sendable, Hashable {
        /// `http` outside the dev network.
        case plainHTTP
        /// A host other than loopback while the dev network is on.
        case outsideDevNetwork
        /// A private, loopback, link-local or metadata address, or a name that leads to one.
        case privateAddress
    }

    /// Where the dev network listens; nil on the real network.
    package let devNetwork: Origin?
    /// Whether private addresses and loopback may be reached, for a PDS at home. Never link-local ones, where the
    /// services are that tell a machine in a data centre its secrets.
    package let allowsPrivateNetwork: Bool

    package init(devNetwork: Origin? = nil, allowsPrivateNetwork: Bool = false) {
        self.devNetwork = devNetwork
        self.allowsPrivateNetwork = allowsPrivateNetwork
    }

    /// Why a URL must not be asked; nil where it may be.
    package func refusal(of url: HTTPURL) -> Refusal? {
        if devNetwork != nil { return url.origin.isLoopback ? nil : .outsideDevNetwork }
        guard url.origin.scheme == .https else { return .plainHTTP }
        // Before anything opens: a proxy would connect to it without asking again.
        guard let address = LiteralAddress(host: url.origin.host), !allows(address: address.bytes) else {
            return nil
        }
        return .privateAddress
    }

    /// Whether a connected address is acceptable, given as its 4 or 16 bytes in network order.
    package func allows(address: [UInt8]) -> Bool {
        let range = AddressRange(of: address)
        if devNetwork != nil { return range == .loopback }
        return range == .global || allowsPrivateNetwork && !AddressRange.isLinkLocal(address)
    }
}
