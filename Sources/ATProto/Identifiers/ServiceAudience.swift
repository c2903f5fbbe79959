internal import Networking

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

extension PermissionScope {
    /// The smallest permission, as a scope's text, with which a session gets tokens for a method and an audience.
    ///
    /// Servers compare audiences as text, and a permission can't name a DID alone. Such a token needs the permission for
    /// every service.
    package static func needed(for method: NSID, at audience: ServiceAudience) -> String {
        switch audience {
        case .did: return "rpc:\(method)?aud=*"
        case .service(let service):
            // A colon needs no escape here, and servers write none.
            let value = PercentEncoding.encode(service.description).replacing("%3A", with: ":")
            return "rpc:\(method)?aud=\(value)"
        }
    }

    /// Whether a session with this permission gets tokens for a method and a service that the audience names.
    package func allowsTokens(for method: NSID, at service: ServiceReference) -> Bool {
        guard case .rpc(let methods, let audience) = self else { return false }
        return (methods.contains(.nsid(method)) || methods.contains(.any))
            && (audience == .any || audience == .service(service))
    }
}
