package import ATPJSON
public import ATPNetworking

/// The parts of an account's DID document that a login needs (atproto.com/specs/did; protocol:R16, R17).
public struct DIDDocument: Sendable, Hashable {
    /// The subject of the document.
    package let did: DID
    /// The first well-formed handle of `alsoKnownAs`. It is only a claim until the handle resolves to this DID
    /// (protocol:R8).
    package let claimedHandle: Handle?
    /// The account's PDS.
    package let pds: Origin
    /// The whole document.
    package let json: JSONValue

    /// The flaws that a document may have. What the program reads of it is ASCII, which such a flaw can't imitate.
    static let leniency: JSONFlaws = .halfSurrogates

    /// Reads a document that was fetched for `did`.
    ///
    /// - Parameter policy: decides whether the PDS may be contacted. Only the dev network may use plain http.
    package init(
        json: JSONValue, expecting did: DID, policy: NetworkPolicy
    ) throws(InvalidDIDDocument) {
        let members = try Self.members(of: json, expecting: did)
        self.did = did
        self.json = json
        claimedHandle = Self.handle(in: members["alsoKnownAs"]?.array ?? [])
        pds = try Self.pds(in: members["service"]?.array ?? [], of: did, policy: policy)
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - text: the document in JSON.
    ///   - did: the subject that it must have.
    ///   - policy: decides whether the PDS may be contacted.
    /// - Throws: ``IdentityError`` if it is no document of this DID, or names no PDS that may be contacted.
    public init(
        _ text: String, of did: DID, policy: NetworkPolicy = NetworkPolicy()
    ) throws(IdentityError) {
        func failure(_ problem: InvalidDIDDocument) -> IdentityError {
            IdentityError(.invalidDocument(problem), step: .didDocument, subject: did.description)
        }
        let json: JSONValue
        do { json = try JSONParser.parse(Array(text.utf8), leniency: Self.leniency) } catch {
            throw failure(.notJSON(error))
        }
        do { try self.init(json: json, expecting: did, policy: policy) } catch { throw failure(error) }
    }

    /// The server of a service in the document that was fetched for its DID. Other parts of the document don't matter: most
    /// services have no PDS.
    static func endpoint(
        of service: ServiceReference, in json: JSONValue, policy: NetworkPolicy
    ) throws(InvalidDIDDocument) -> Origin {
        let members = try members(of: json, expecting: service.did)
        let entry = members["service"]?.array?.first { entry in
            let id = entry["id"]?.string
            return id == "#\(service.service)" || id == service.description
        }
        guard let entry else { throw .noService }
        return try endpoint(of: entry, policy: policy)
    }

    /// The verification method with the key that signs the account's repository; nil if the document has none
    /// (atproto.com/specs/did, `#atproto`).
    package var signingKey: VerificationMethod? {
        let method = json["verificationMethod"]?.array?.first { method in
            let id = method["id"]?.string
            return id == "#atproto" || id == "\(did)#atproto"
        }
        guard let type = method?["type"]?.string, let text = method?["publicKeyMultibase"]?.string else {
            return nil
        }
        return VerificationMethod(type: type, publicKeyMultibase: text)
    }

    /// The members of a document that is about a DID.
    private static func members(
        of json: JSONValue, expecting did: DID
    ) throws(InvalidDIDDocument) -> JSONObject {
        guard case .object(let members) = json else { throw .notAnObject }
        guard let id = members["id"]?.string, id == did.description else {
            throw .otherSubject(members["id"]?.string)
        }
        return members
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
        return try endpoint(of: service, policy: policy)
    }

    /// The origin of a service that may be contacted.
    private static func endpoint(
        of service: JSONValue, policy: NetworkPolicy
    ) throws(InvalidDIDDocument) -> Origin {
        guard let endpoint = service["serviceEndpoint"]?.string,
            let url = try? HTTPURL(validating: endpoint), url.path == "/", url.query == nil
        else { throw .endpointNotAnOrigin }
        if let refusal = policy.refusal(of: url) { throw .endpointRefused(refusal) }
        return url.origin
    }
}

/// A key of a DID document, as it is written there.
package struct VerificationMethod: Sendable, Hashable {
    /// `Multikey`, or an older type.
    package let type: String
    /// The key in multibase.
    package let publicKeyMultibase: String
}

/// Why a DID document can't be used.
package enum InvalidDIDDocument: Error, Sendable, Hashable {
    case notJSON(JSONError)
    /// The document begins with a byte order mark, which JSON must not have (RFC 8259 §8.1).
    case byteOrderMark
    case notAnObject
    /// `id` is missing or names another subject.
    case otherSubject(String?)
    /// The document lists no PDS.
    case noPDS
    /// The document lists no service of this name.
    case noService
    /// The endpoint of the PDS or the service has more than scheme, host and port.
    case endpointNotAnOrigin
    /// The policy refuses the PDS or the service.
    case endpointRefused(NetworkPolicy.Refusal)
}

extension DIDDocument {
    /// A minimal document with the parts that this type reads.
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
