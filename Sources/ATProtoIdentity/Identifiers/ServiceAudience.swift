/// The service that a service token is for, as its claim `aud` names it: `did` or `did#service` (protocol:X13).
package enum ServiceAudience: Sendable, Hashable, CustomStringConvertible {
    case did(DID)
    case service(ServiceReference)

    /// Reads `did` or `did#service`.
    package init(validating text: String) throws(InvalidServiceReference) {
        if text.utf8.contains(UInt8(ascii: "#")) {
            self = .service(try ServiceReference(validating: text))
        } else {
            do { self = .did(try DID(validating: text)) } catch { throw .did(error) }
        }
    }

    package var did: DID {
        switch self {
        case .did(let did): did
        case .service(let service): service.did
        }
    }

    package var description: String {
        switch self {
        case .did(let did): did.description
        case .service(let service): service.description
        }
    }
}
