package import ATProtoIdentity
package import ATProtoLexicons

/// A collection, as help shows it.
package struct PublicRecord: Sendable, Hashable {
    /// The names of all collections. Reads the whole edition.
    package static var names: [String] { CompiledLexicons.records }

    package let nsid: NSID
    /// In words: `a timestamp`, or the only key.
    package let key: String
    /// The only key of a record; nil if there can be several.
    package let onlyKey: String?
    package let members: [PublicMember]

    /// - Returns: nil if the edition has no such collection.
    package init?(_ nsid: NSID) {
        guard case .record(let record)? = CompiledLexicons.main(of: nsid) else { return nil }
        self.init(nsid, record)
    }

    /// A collection with its definition.
    package init(_ nsid: NSID, _ record: LexiconRecord) {
        self.nsid = nsid
        if case .literal(let only) = record.key { onlyKey = only } else { onlyKey = nil }
        key =
            switch record.key {
            case .any: "any"
            case .nsid: "an NSID"
            case .tid: "a timestamp, which the server makes"
            case .literal(let only): only
            case .other(let rule): rule
            }
        members = record.object.members.map { PublicMember($0, deep: true) }
    }
}
