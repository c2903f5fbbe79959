/// A service of a DID document, as `atproto-proxy` names it: `did#service` (protocol:X8).
package struct ServiceReference: Sendable, Hashable, CustomStringConvertible {
    /// The DID whose document lists the service.
    package let did: DID
    /// The text after `#`.
    package let service: String

    /// Reads `did#service`.
    package init(validating text: some StringProtocol) throws(InvalidServiceReference) {
        let parts = text.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x5f || $0 == 0x2d })
        else { throw .syntax }
        do { did = try DID(validating: parts[0]) } catch { throw .did(error) }
        service = String(parts[1])
    }

    /// - Parameter text: the host of a `did:web` and a service, `HOST#SERVICE`, which are known to be valid.
    private init(ofWeb text: String) {
        let parts = text.split(separator: "#")
        did = DID(webHost: String(parts[0]))
        service = String(parts[1])
    }

    /// Bluesky's AppView, to which a PDS forwards the calls of `app.bsky` unless told otherwise.
    package static let appView = ServiceReference(ofWeb: "api.bsky.app#bsky_appview")

    /// Bluesky's chat.
    package static let chat = ServiceReference(ofWeb: "api.bsky.chat#bsky_chat")

    /// Stands for a service that is not known, in an example.
    package static let example = ServiceReference(ofWeb: "service.example.com#name")

    /// `did#service`.
    package var description: String { "\(did)#\(service)" }
}

/// Why a text is not a service reference.
package enum InvalidServiceReference: Error, Sendable, Hashable {
    /// Not exactly one `#` with a name after it.
    case syntax
    case did(InvalidDID)
}
