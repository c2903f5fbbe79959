package import ATProtoIdentity
internal import ATProtoLexicons

/// The methods of the public lexicons, as they were when this version was made. Any other method can be called as well.
package enum PublicMethods {
    /// The month of the lexicons.
    package static var edition: String { CompiledLexicons.edition }

    /// Whether this edition had everything in the name's domain, so that no publisher needs to be asked.
    package static func areComplete(for nsid: NSID) -> Bool { CompiledLexicons.isOwned(nsid) }

    /// What the names of methods begin with.
    package static var authorities: [String] {
        CompiledLexicons.authorities.filter(CompiledLexicons.hasMethods)
    }

    /// All names. Reads the whole list.
    package static var names: [String] { CompiledLexicons.methods.map(\.name) }

    /// All methods with their kinds. Reads the whole list.
    package static var kinds: [(NSID, XRPCMethod)] {
        CompiledLexicons.methods.compactMap { name, isQuery in
            let nsid = try? NSID(validating: name)
            return nsid.map { ($0, isQuery ? .query : .procedure) }
        }
    }

    /// The method of a name; nil if the lexicons have none.
    package static func method(_ nsid: NSID) -> PublicMethod? {
        CompiledLexicons.head(of: nsid).flatMap { PublicMethod($0, named: nsid) }
    }

    /// Whether a method is a query or a procedure; nil if the lexicons don't have it.
    package static func kind(of nsid: NSID) -> XRPCMethod? {
        switch CompiledLexicons.mark(of: nsid) {
        case .query: .query
        case .procedure: .procedure
        case .subscription, .record, .permissionSet, .other, nil: nil
        }
    }
}
