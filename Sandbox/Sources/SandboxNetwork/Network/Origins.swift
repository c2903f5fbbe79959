import Synchronization

/// The public URL each role is known by: issuer, `htu` base, DID document endpoint.
///
/// With port 0 the origins are known only once the listeners are bound, hence the lock.
final class Origins: Sendable {
    private let known: Mutex<[Role: String]>

    init(_ explicit: [Role: String]) {
        known = Mutex(explicit)
    }

    /// Sets the origin of a role, unless an option has set it.
    func learn(_ origin: String, for role: Role) {
        known.withLock { origins in
            if origins[role] == nil { origins[role] = origin }
        }
    }

    subscript(role: Role) -> String {
        known.withLock { $0[role] ?? "http://unbound.invalid" }
    }

    /// Fills the URLs into a document with the placeholders `{issuer}` and `{resource}`.
    func document(_ text: String) -> JSONValue {
        let filled = text.replacing("{issuer}", with: self[.authorizationServer])
            .replacing("{resource}", with: self[.personalDataServer])
        return (try? JSONValue(parsing: Array(filled.utf8))) ?? .null
    }

    /// The PDS as a DID: the audience of access tokens.
    var personalDataServerDID: String {
        "did:web:" + authority(of: .personalDataServer).replacing(":", with: "%3A")
    }

    /// Host and port of a role's origin, as they stand in the URL.
    func authority(of role: Role) -> String {
        let origin = self[role]
        guard let scheme = origin.range(of: "://") else { return origin }
        return String(origin[scheme.upperBound...])
    }
}
