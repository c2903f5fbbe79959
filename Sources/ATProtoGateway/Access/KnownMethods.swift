internal import ATProtoIdentity
internal import ATProtoXRPC

/// The methods of the lexicons, by their names in any spelling.
struct KnownMethods: Sendable {
    static let lexicons = KnownMethods()

    private let methods: [String: (nsid: NSID, kind: XRPCMethod)]

    private init() {
        methods = Dictionary(
            PublicMethods.kinds.map { ($0.0.description.lowercased(), (nsid: $0.0, kind: $0.1)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The name as the lexicons spell it. Servers may ignore case, so a known method goes by one spelling only.
    func spelled(_ nsid: NSID) -> NSID { methods[nsid.description.lowercased()]?.nsid ?? nsid }

    /// The methods whose names begin with a text in lower case.
    func names(after prefix: String) -> [NSID] {
        methods.lazy.filter { $0.key.hasPrefix(prefix) }.map(\.value.nsid)
    }

    /// Whether a method is a query or a procedure; nil if no lexicon has it.
    func kind(of nsid: NSID) -> XRPCMethod? { methods[nsid.description.lowercased()]?.kind }
}
