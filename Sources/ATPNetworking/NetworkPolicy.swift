/// Decides which servers may be contacted. The transport asks before it opens a connection.
///
/// On the real network only https and public addresses are allowed. The dev network, for tests and offline work,
/// allows plain http but only loopback addresses.
package struct NetworkPolicy: Sendable, Hashable {
    package enum Refusal: Sendable, Hashable {
        /// The URL uses `http` outside the dev network.
        case plainHTTP
        /// The host is not loopback, but the dev network is on.
        case outsideDevNetwork
        /// The host is a private, loopback, link-local or metadata address, or a name of one.
        case privateAddress
    }

    /// The origin of the dev network. Nil on the real network.
    package let devNetwork: Origin?
    /// Whether private and loopback addresses are allowed, for a PDS at home. Link-local addresses and the
    /// metadata services of data centres are never allowed, because these services give secrets to any program.
    package let allowsPrivateNetwork: Bool

    package init(devNetwork: Origin? = nil, allowsPrivateNetwork: Bool = false) {
        self.devNetwork = devNetwork
        self.allowsPrivateNetwork = allowsPrivateNetwork
    }

    /// Why a URL is refused. Nil if it is allowed.
    package func refusal(of url: HTTPURL) -> Refusal? {
        if devNetwork != nil { return url.origin.isLoopback ? nil : .outsideDevNetwork }
        guard url.origin.scheme == .https else { return .plainHTTP }
        // Check the address here too: a proxy would connect to it without a further check.
        guard let address = LiteralAddress(host: url.origin.host), !allows(address: address.bytes) else {
            return nil
        }
        return .privateAddress
    }

    /// Whether an address is allowed, given as 4 or 16 bytes in network order.
    package func allows(address: [UInt8]) -> Bool {
        let range = AddressRange(of: address)
        if devNetwork != nil { return range == .loopback }
        return (range == .global || allowsPrivateNetwork) && !AddressRange.isMetadataService(address)
    }
}
