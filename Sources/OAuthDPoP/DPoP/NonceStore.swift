package import ATPNetworking

/// The role of a server. One host may have both roles, with separate nonces (RFC 9449 §8, §9).
package enum ServerRole: String, Sendable {
    case authorizationServer, resourceServer
}

/// Keeps the latest nonce of each server (RFC 9449 §8.2, protocol:R56). A lost nonce costs one round trip.
package protocol NonceStore: Sendable {
    func nonce(for origin: Origin, role: ServerRole) -> String?
    func remember(_ nonce: String, for origin: Origin, role: ServerRole)
}

/// Keeps how many seconds the clock of each server is ahead of this machine (protocol:R52).
package protocol ServerClock: Sendable {
    /// The offset, or 0 if it is not known.
    func offset(for origin: Origin) -> Int64
    func remember(offset: Int64, for origin: Origin)
}
