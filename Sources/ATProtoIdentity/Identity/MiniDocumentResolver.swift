internal import ATPJSON
package import ATPNetworking

/// Resolves a handle or DID with one request to a service such as Slingshot
/// (`com.bad-example.identity.resolveMiniDoc`).
///
/// The answer is a shortcut to an account's PDS and is not proven. Decisions about tokens resolve the account
/// directly (requirements:D5).
package struct MiniDocumentResolver: Sendable {
    private let service: Origin
    private let policy: NetworkPolicy
    private let fetcher: IdentityFetcher

    package init(transport: any HTTPTransport, policy: NetworkPolicy, service: Origin) {
        self.service = service
        self.policy = policy
        fetcher = IdentityFetcher(transport: transport, policy: policy)
    }

    /// The public service.
    package static let publicService = Origin(scheme: .https, host: "slingshot.microcosm.blue")

    /// The service's answer about an account. Nil if the service fails, if it found no handle that leads back to the
    /// DID, or if its answer can't be used. None of these means that the account or its handle does not exist
    /// (requirements:D1, D2).
    func identity(of identifier: ATIdentifier) async -> Identity? {
        // A reserved name is never resolved, not even by a service (protocol:R3).
        if case .handle(let handle) = identifier, handle.isReserved(onDevNetwork: policy.devNetwork != nil) {
            return nil
        }
        let query: FormParameters = ["identifier": identifier.description]
        let url = HTTPURL(
            origin: service, path: "/xrpc/com.bad-example.identity.resolveMiniDoc", query: query.encoded)
        guard
            case .document(200, let body)? = try? await fetcher.get(
                url, accept: "application/json", limit: 16384, step: .handleService,
                subject: identifier.description),
            let json = try? JSONParser.parse(body, leniency: DIDDocument.leniency),
            let did = json["did"]?.string.flatMap({ try? DID(validating: $0) }),
            let pds = json["pds"]?.string,
            let name = json["handle"]?.string, name != Handle.invalidPlaceholder,
            let handle = try? Handle(validating: name)
        else { return nil }
        // Read the answer as a DID document, so that the same checks apply.
        let document = try? DIDDocument(
            json: DIDDocument.outline(of: did, claimedHandle: handle, pds: pds), expecting: did,
            policy: policy)
        guard let document else { return nil }
        guard identifier == .handle(handle) || identifier == .did(did) else { return nil }
        return Identity(document: document, handle: handle, isFirstHand: false)
    }
}
