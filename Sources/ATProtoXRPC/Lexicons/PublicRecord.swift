package import ATProtoIdentity
package import ATProtoLexicons

/// A collection, as help shows it.
package struct PublicRecord: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package let name: String
        /// In words: `text, datetime`, `list of app.bsky.richtext.facet, at most 5`.
        package let type: String
        package let isRequired: Bool
    }

    /// The names of all collections. Reads the whole edition.
    package static var names: [String] { CompiledLexicons.records }

    package let nsid: NSID
    /// In words: `a timestamp`, or the only key.
    package let key: String
    /// The only key of a record; nil if there can be several.
    package let onlyKey: String?
    package let members: [Member]

    /// - Returns: nil if the edition has no such collection.
    package init?(_ nsid: NSID) {
        guard case .record(let record)? = CompiledLexicons.main(of: nsid) else { return nil }
        self.init(nsid, record)
    }

    /// The collection of a lexicon of anybody.
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
        members = record.object.members.map {
            Member(name: $0.name, type: Self.words($0.type), isRequired: $0.isRequired)
        }
    }

    private static func words(_ type: LexiconType) -> String {
        switch type {
        case .boolean: "true or false"
        case .integer(let integer): "number" + limits(integer.limits, "")
        case .string(let string):
            "text" + (string.format.map { ", \($0)" } ?? "")
                + (string.graphemes.maximum == nil
                    ? limits(string.length, " bytes") : limits(string.graphemes, " characters"))
        case .bytes(let limits): "bytes" + Self.limits(limits, " bytes")
        case .link: "link"
        case .blob(let accept, let maximum):
            "file" + (accept.isEmpty ? "" : " of \(accept.joined(separator: ", "))")
                + (maximum.map { ", at most \($0) bytes" } ?? "")
        case .array(let element, let limits): "list of \(words(element))" + Self.limits(limits, "")
        case .object: "object"
        case .reference(let reference): reference.description
        case .union(let references, isClosed: _):
            references.map(\.description).joined(separator: " or ")
        case .token: "name"
        case .anything: "any object"
        case .other(let name): name
        }
    }

    private static func limits(_ limits: LexiconLimits, _ unit: String) -> String {
        switch (limits.minimum, limits.maximum) {
        case (nil, nil): ""
        case (nil, let maximum?): ", at most \(maximum)\(unit)"
        case (let minimum?, nil): ", at least \(minimum)\(unit)"
        case (let minimum?, let maximum?): ", from \(minimum) to \(maximum)\(unit)"
        }
    }
}
