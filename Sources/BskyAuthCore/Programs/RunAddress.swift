internal import ATPJSON
internal import ATPNetworking
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions

/// Where programs find the gateway of a run, which is a PDS to them.
package struct RunAddress: Sendable {
    /// The port of 127.0.0.1; nil if the gateway is behind a Unix socket.
    private let port: Int?

    package init(port: Int?) {
        self.port = port
    }

    /// The address for programs; nil for a socket, which has no URL.
    package var url: String? { port.map { "http://127.0.0.1:\($0)" } }

    /// The DID that a PDS at this address has.
    var did: String { names.first ?? "did:web:localhost" }

    /// The DIDs that programs make of the address. They are no DIDs of AT Protocol, so no service elsewhere has one of them.
    private var names: [String] {
        guard let port else { return [] }
        return ["127.0.0.1", "localhost"].map { Origin(scheme: .http, host: $0, port: port).webDID }
    }

    /// Whether a program means the gateway itself. The text must be the same, byte for byte.
    func isNamed(by audience: String) -> Bool { names.contains(audience) }

    /// The DID document of an account for a program, whose PDS is the gateway; nil for a socket.
    func document(of account: Account) -> JSONValue? {
        guard let url else { return nil }
        let service: JSONValue = [
            "id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": .string(url),
        ]
        return [
            "id": .string(account.did.description),
            "alsoKnownAs": .array([account.handle].compactMap { $0.map { .string("at://\($0)") } }),
            "service": [service],
        ]
    }
}
