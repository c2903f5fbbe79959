package import JSON
package import Networking

/// What an account's DID document says that logging in needs (atproto.com/specs/did; protocol:R16, R17).
package struct DIDDocument: Sendable, Hashable {
    /// Whose document it is.
    package let did: DID
    /// The first well-formed handle of `alsoKnownAs`: a claim, until it leads back here (protocol:R8).
    package let claimedHandle: Handle?
    /// The account's server.
    package let pds: Origin

    /// Reads a document that was fetched for `did`.
    ///
    /// - Parameter policy: decides whether the server may be asked at all; plain http is for the dev network.
    package init(
        json: JSONValue, expecting did: DID, policy: NetworkPolicy
    ) throws(InvalidDIDDocument) {
        guard case .object(let members) = json else { throw .notAnObject }
        guard let id = members["id"]?.string, id == did.description else {
            throw .otherSubject(members["id"]?.string)
        }
        self.did = did
        claimedHandle = Self.handle(in: members["alsoKnownAs"]?.array ?? [])
        pds = try Self.pds(in: members["service"]?.array ?? [], of: did, policy: policy)
    }

    private static func handle(in names: [JSONValue]) -> Handle? {
        for case .string(let name) in names where name.hasPrefix("at://") {
            if let handle = try? Handle(validating: name.dropFirst(5)) { return handle }
        }
        return nil
    }

    private static func pds(
        in services: [JSONValue], of did: DID, policy: NetworkPolicy
    ) throws(InvalidDIDDocument) -> Origin {
        let service = services.first { service in
            let id = service["id"]?.string
            return (id == "#atproto_pds" || id == "\(did)#atproto_pds")
                && service["type"]?.string == "AtprotoPersonalDataServer"
        }
        guard let service else { throw .noPDS }
        guard let endpoint = service["serviceEndpoint"]?.string,
            let url = try? HTTPURL(validating: endpoint), url.path == "/", url.query == nil
        else { throw .endpointNotAnOrigin }
        if let refusal = policy.refusal(of: url) { throw .endpointRefused(refusal) }
        return url.origin
    }
}

/// Why a document is not what a DID asks for.
package enum InvalidDIDDocument: Error, Sendable, Hashable {
    case notJSON(JSONError)
    case notAnObject
    /// `id` is absent or names someone else.
    case otherSubject(String?)
    /// No service is the account's PDS.
    case noPDS
    /// The PDS is not given as scheme, host and port alone.
    case endpointNotAnOrigin
    /// The PDS must not be asked.
    case endpointRefused(NetworkPolicy.Refusal)
}

extension DIDDocument {
    /// A document that says what this one does to us and nothing more, for a cache to keep. It is read like any
    /// other, so that the same rules hold.
    package var outline: JSONValue {
        Self.outline(of: did, claimedHandle: claimedHandle, pds: pds.description)
    }

    static func outline(of did: DID, claimedHandle: Handle?, pds: String) -> JSONValue {
        [
            "id": .string(did.description),
            "alsoKnownAs": .array(claimedHandle.map { [.string("at://\($0)")] } ?? []),
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(pds),
                ]
            ],
        ]
    }
}
