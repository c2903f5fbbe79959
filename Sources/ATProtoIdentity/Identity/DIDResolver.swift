internal import ATPJSON
package import ATPNetworking

/// Fetches DID documents: `did:plc` from its directory, `did:web` from its host (atproto.com/specs/did;
/// protocol:R14-R16). A redirect is an error for both.
public struct DIDResolver: Sendable {
    private let fetcher: IdentityFetcher
    private let plcDirectory: HTTPURL

    /// - Parameter plcDirectory: the URL to which the identifier is appended as a path segment.
    package init(
        transport: any HTTPTransport, policy: NetworkPolicy, plcDirectory: HTTPURL = publicPLCDirectory
    ) {
        self.fetcher = IdentityFetcher(transport: transport, policy: policy)
        self.plcDirectory = plcDirectory
    }

    /// `https://plc.directory`.
    package static let publicPLCDirectory = HTTPURL(origin: Origin(scheme: .https, host: "plc.directory"))

    /// The document of an account's DID, never from a cache.
    package func document(of did: DID) async throws(IdentityError) -> DIDDocument {
        try await read(did) { json throws(InvalidDIDDocument) in
            try DIDDocument(json: json, expecting: did, policy: fetcher.policy)
        }
    }

    /// The server of a service, by the document of its DID, never from a cache.
    package func endpoint(of service: ServiceReference) async throws(IdentityError) -> Origin {
        try await read(service.did) { json throws(InvalidDIDDocument) in
            try DIDDocument.endpoint(of: service, in: json, policy: fetcher.policy)
        }
    }

    /// The earlier keys of a did:plc, never from a cache. A did:web has no past, so nothing is asked about it.
    package func auditLog(of did: DID) async throws(IdentityError) -> PLCAuditLog? {
        guard did.method == .plc else { return nil }
        let document = try url(of: did)
        let url = document.replacing(path: document.path + "/log/audit")
        let json = try await json(at: url, of: did, limit: Self.longestLog)
        guard let log = PLCAuditLog(json, of: did) else {
            throw IdentityError(
                .malformedAnswer, step: .didDocument, subject: did.description, url: url.withoutQuery)
        }
        return log
    }

    /// Fetches the document of a DID and reads it.
    private func read<Value>(
        _ did: DID, _ read: (JSONValue) throws(InvalidDIDDocument) -> Value
    ) async throws(IdentityError) -> Value {
        let url = try url(of: did)
        let json = try await json(
            at: url, of: did, limit: Self.longestDocument, leniency: DIDDocument.leniency)
        do {
            return try read(json)
        } catch {
            throw IdentityError(
                .invalidDocument(error), step: .didDocument, subject: did.description, url: url.withoutQuery)
        }
    }

    /// Fetches JSON about a DID.
    private func json(
        at url: HTTPURL, of did: DID, limit: Int, leniency: JSONFlaws = []
    ) async throws(IdentityError) -> JSONValue {
        func failure(_ code: IdentityError.Code) -> IdentityError {
            IdentityError(code, step: .didDocument, subject: did.description, url: url.withoutQuery)
        }
        let answer = try await fetcher.get(
            url, accept: "application/did+ld+json, application/json", limit: limit,
            step: .didDocument, subject: did.description)
        switch answer {
        case .document(200, let body):
            do { return try JSONParser.parse(body, leniency: leniency) } catch {
                if body.starts(with: [0xef, 0xbb, 0xbf]) { throw failure(.invalidDocument(.byteOrderMark)) }
                throw failure(.invalidDocument(.notJSON(error)))
            }
        case .redirect: throw failure(.redirect)
        // 404, or 410 for a tombstone of did:plc.
        case .absent: throw failure(.notFound)
        case .document(let status, _), .unclear(let status, _): throw failure(.status(status))
        }
    }

    private func url(of did: DID) throws(IdentityError) -> HTTPURL {
        switch did.method {
        case .plc:
            let directory = plcDirectory.path.hasSuffix("/") ? plcDirectory.path : plcDirectory.path + "/"
            return plcDirectory.replacing(path: directory + PercentEncoding.encode(did.description))
        case .web(let host, let port):
            let onDevNetwork = fetcher.policy.devNetwork != nil
            if host == "localhost" || port != nil {
                guard onDevNetwork, host == "localhost" else {
                    throw IdentityError(.unreachableHost, step: .name, subject: did.description)
                }
            } else if let name = try? Handle(validating: host), name.isReserved(onDevNetwork: onDevNetwork) {
                throw IdentityError(.reservedName, step: .name, subject: did.description)
            }
            let origin = Origin(scheme: onDevNetwork ? .http : .https, host: host, port: port)
            return HTTPURL(origin: origin, path: "/.well-known/did.json")
        }
    }

    private static let longestDocument = 65536
    /// Room for a thousand operations.
    private static let longestLog = 4 << 20
}
