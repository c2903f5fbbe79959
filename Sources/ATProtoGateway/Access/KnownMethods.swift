package import ATProtoIdentity
package import ATProtoXRPC

/// The methods of the lexicons that this program has.
package struct KnownMethods: Sendable {
    private let methods: [String: (nsid: NSID, kind: XRPCMethod)]

    package init(_ methods: some Sequence<(NSID, XRPCMethod)>) {
        self.methods = Dictionary(
            methods.map { ($0.0.description.lowercased(), (nsid: $0.0, kind: $0.1)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The name as the lexicons spell it. Servers may ignore case, so a known method goes by one spelling only.
    func spelled(_ nsid: NSID) -> NSID { methods[nsid.description.lowercased()]?.nsid ?? nsid }

    /// The methods whose names begin with a text in lower case.
    func names(after prefix: String) -> [NSID] {
        methods.lazy.filter { $0.key.hasPrefix(prefix) }.map(\.value.nsid)
    }

    /// Whether a method is a query or a procedure; nil if no lexicon has it.
    package func kind(of nsid: NSID) -> XRPCMethod? { methods[nsid.description.lowercased()]?.kind }
}
