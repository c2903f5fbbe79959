public import ATPNetworking

/// Says what names and identifiers lead to. ``NetworkIdentities`` asks DNS, the hosts and the directory of did:plc; an app may
/// ask a mirror or a service of its own.
///
/// The answers are claims. Whoever uses a source checks that the handle and the DID name each other, and asks again without
/// any cache before a token is sent or saved. So a source must not keep answers.
public protocol IdentitySource: Sendable {
    /// The DID that a handle points to (atproto.com/specs/handle).
    ///
    /// - Throws: ``IdentityError/notFound(_:)`` if no account has the handle.
    func did(of handle: Handle) async throws(IdentityError) -> DID

    /// The document of a DID (atproto.com/specs/did).
    ///
    /// - Throws: ``IdentityError/notFound(_:)`` if the DID does not exist.
    func document(of did: DID) async throws(IdentityError) -> DIDDocument

    /// Looks up what a document of an account does not have: the servers of services, and earlier keys. Nil if this source has
    /// none; then calls of a service by its DID and records with an earlier key fail. A source that asks
    /// ``NetworkIdentities`` itself returns what they have.
    var dids: DIDResolver? { get }
}

extension IdentitySource {
    /// Nil, because only a source that asks the network can look up more than accounts.
    public var dids: DIDResolver? { nil }
}

/// Identities from their own sources: handles from DNS and from their host, did:plc from its directory, did:web from its host.
public struct NetworkIdentities: IdentitySource {
    private let handles: HandleResolver
    private let documents: DIDResolver

    /// Looks up services and earlier keys in the documents and the directory that the accounts come from.
    public var dids: DIDResolver? { documents }

    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - textRecords: looks up DNS TXT records, by which most domains name their account. Nil for none. Then only those
    ///     handles are found whose web server names the account.
    ///   - policy: which addresses may be contacted. Give the transport the same one.
    ///   - plcDirectory: the directory of did:plc, to whose URL a DID is appended. Nil for `https://plc.directory`, or for the
    ///     dev network of the policy.
    public init(
        transport: any HTTPTransport, textRecords: (any TextRecordResolver)?,
        policy: NetworkPolicy = NetworkPolicy(), plcDirectory: HTTPURL? = nil
    ) {
        self.init(
            handles: HandleResolver(
                transport: transport, textRecords: textRecords ?? NoTextRecords(), policy: policy),
            dids: DIDResolver(
                transport: transport, policy: policy,
                plcDirectory: plcDirectory ?? policy.devNetwork.map { HTTPURL(origin: $0) }
                    ?? DIDResolver.publicPLCDirectory))
    }

    package init(handles: HandleResolver, dids: DIDResolver) {
        self.handles = handles
        documents = dids
    }

    /// The DID of a handle.
    public func did(of handle: Handle) async throws(IdentityError) -> DID {
        try await handles.did(of: handle)
    }

    /// The document of a DID.
    public func document(of did: DID) async throws(IdentityError) -> DIDDocument {
        try await documents.document(of: did)
    }

    private struct NoTextRecords: TextRecordResolver {
        func textRecords(for name: String) -> [String] { [] }
    }
}
