internal import ATProtoLexicons

/// A member of an object of a lexicon, as help shows it.
package struct PublicMember: Sendable, Hashable {
    package let name: String
    /// In words: `text, datetime`, `list of app.bsky.richtext.facet, at most 5`.
    package let type: String
    package let isRequired: Bool
    /// What the object has to have that the type names; empty for other types, and for members of such an object.
    package let needed: [PublicMember]

    /// - Parameter deep: whether to look at the object that the type names.
    init(_ member: LexiconObject.Member, deep: Bool = false) {
        (name, type, isRequired) = (member.name, member.type.words, member.isRequired)
        guard deep, case .reference(let reference) = member.type,
            case .type(.object(let object))? = CompiledLexicons.document(reference.document)?
                .definitions[reference.definition]
        else {
            needed = []
            return
        }
        needed = object.members.filter(\.isRequired).map { PublicMember($0) }
    }
}

extension LexiconType {
    /// The type in words.
    var words: String {
        switch self {
        case .boolean: "true or false"
        case .integer(let integer): "number" + Self.limits(integer.limits, "")
        case .string(let string):
            "text" + (string.format.map { ", \($0)" } ?? "")
                + (string.graphemes.maximum == nil
                    ? Self.limits(string.length, " bytes") : Self.limits(string.graphemes, " characters"))
        case .bytes(let limits): "bytes" + Self.limits(limits, " bytes")
        case .link: "link"
        case .blob(let accept, let maximum):
            "file" + (accept.isEmpty ? "" : " of \(accept.joined(separator: ", "))")
                + (maximum.map { ", at most \($0) bytes" } ?? "")
        case .array(let element, let limits): "list of \(element.words)" + Self.limits(limits, "")
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
