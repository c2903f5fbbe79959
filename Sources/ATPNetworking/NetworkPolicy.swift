/// Decides which servers may be contacted. The transport asks before it opens a connection.
///
/// On the real network only https and public addresses are allowed. The dev network, for tests and offline work,
/// allows plain http but only loopback addresses.
public struct NetworkPolicy: Sendable, Hashable {
    /// Why a URL may not be contacted. More reasons may come, so a `switch` over them needs a default.
    public struct Refusal: Sendable, Hashable, CustomStringConvertible {
        /// The reasons as this library tells them apart.
        package enum Reason: Sendable, Hashable {
            case plainHTTP, outsideDevNetwork, privateAddress
        }

        package let reason: Reason

        private init(_ reason: Reason) {
            self.reason = reason
        }

        /// The URL uses `http` outside the dev network.
        public static let plainHTTP = Refusal(.plainHTTP)
        /// The host is not loopback, but the dev network is on.
        public static let outsideDevNetwork = Refusal(.outsideDevNetwork)
        /// The host is a private, loopback, link-local or metadata address, or a name of one.
        public static let privateAddress = Refusal(.privateAddress)

        /// The reason in plain English, such as `it is not https`.
        public var description: String {
            switch reason {
            case .plainHTTP: "it is not https"
            case .outsideDevNetwork: "it is outside the dev network"
            case .privateAddress: "its address is private"
            }
        }
    }

    /// The origin of the dev network. Nil on the real network.
    public let devNetwork: Origin?
    /// Whether private and loopback addresses are allowed, for a PDS at home. Link-local addresses and the
    /// metadata services of data centres are never allowed, because these services give secrets to any program.
    public let allowsPrivateNetwork: Bool

    /// The rules of the real network.
    ///
    /// - Parameter allowsPrivateNetwork: whether private and loopback addresses are allowed too.
    public init(allowsPrivateNetwork: Bool = false) {
        self.init(devNetwork: nil, allowsPrivateNetwork: allowsPrivateNetwork)
    }

    /// The rules of a dev network, or of the real one.
    ///
    /// - Parameters:
    ///   - devNetwork: the origin of a test network on this machine, which is asked for handles and DIDs; nil for the real
    ///     network.
    ///   - allowsPrivateNetwork: whether private and loopback addresses are allowed too.
    public init(devNetwork: Origin?, allowsPrivateNetwork: Bool = false) {
        self.devNetwork = devNetwork
        self.allowsPrivateNetwork = allowsPrivateNetwork
    }

    /// Why a URL is refused. Nil if it is allowed.
    public func refusal(of url: HTTPURL) -> Refusal? {
        if devNetwork != nil { return url.origin.isLoopback ? nil : .outsideDevNetwork }
        guard url.origin.scheme == .https else { return .plainHTTP }
        // Check the address here too: a proxy would connect to it without a further check.
        guard let address = LiteralAddress(host: url.origin.host), !allows(address: address.bytes) else {
            return nil
        }
        return .privateAddress
    }

    /// Whether an address is allowed, given as 4 or 16 bytes in network order.
    public func allows(address: [UInt8]) -> Bool {
        let range = AddressRange(of: address)
        if devNetwork != nil { return range == .loopback }
        return (range == .global || allowsPrivateNetwork) && !AddressRange.isMetadataService(address)
    }
}
