package import Networking

/// What a server is to a client: one host may be both, and its nonces are not the same (RFC 9449 §8, §9).
package enum ServerRole: String, Sendable {
    case authorizationServer, resourceServer
}

/// Where the latest nonce of each server is kept (RFC 9449 §8.2, protocol:R56). Losing one costs a round trip.
package protocol NonceStore: Sendable {
    func nonce(for origin: Origin, role: ServerRole) -> String?
    func remember(_ nonce: String, for origin: Origin, role: ServerRole)
}

/// How far the clocks of servers are ahead of this machine's, in seconds (protocol:R52).
package protocol ServerClock: Sendable {
    /// 0 where nothing is known.
    func offset(for origin: Origin) -> Int64
    func remember(offset: Int64, for origin: Origin)
}
