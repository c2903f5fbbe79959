import Foundation

/// The rules for client assertions. The defaults are those of the reference server (OP client.ts:223-305).
struct AssertionRules: Sendable {
    /// How many seconds old an assertion may be.
    var past = 60
    /// How many seconds the clocks may differ.
    var tolerance = 0
    /// Whether `kid` must name a key of the client. Otherwise the client's first key is tried.
    var needsKeyID = true
    var areRemembered = true
    /// Whether `aud` may be the token endpoint too.
    var mayNameTokenEndpoint = false
    /// Whether clients authenticate at the endpoint for pushed requests.
    var areNeededAtPush = true
}

/// The key or method that binds a session, and its lifetime.
struct SessionRules: Sendable {
    enum Binding {
        /// The key of the login (OP oauth-provider.ts:849-862).
        case key
        /// The authentication method of the login.
        case method
        case nothing
    }

    /// How long a session lives, from the login and from the last refresh.
    struct Lifetimes: Sendable {
        /// `nil` means that there is no limit.
        var session: TimeInterval?
        var idle: TimeInterval
    }

    private static let day: TimeInterval = 86_400
    private static let year = 365.25 * day

    var binding = Binding.key
    /// `protocol:R72`.
    var ofPublicClients = Lifetimes(session: 14 * day, idle: 14 * day)
    /// Two years and three months (OP oauth-constants.ts).
    var ofConfidentialClients = Lifetimes(session: 2 * year, idle: year / 4)

    func lifetimes(_ authentication: ClientAuthentication) -> Lifetimes {
        authentication == .none ? ofPublicClients : ofConfidentialClients
    }
}
