package import ATProtoIdentity

/// The type of a value in a lexicon (atproto.com/specs/lexicon).
///
/// A limit is nil if the lexicon has none. Lengths of strings and bytes count bytes, lengths of arrays count elements.
package indirect enum LexiconType: Sendable, Hashable {
    case boolean(constant: Bool?, default: Bool?)
    case integer(LexiconInteger)
    case string(LexiconString)
    case bytes(LexiconLimits)
    case link
    /// A file. `accept` has patterns of media types; `maximum` counts bytes.
    case blob(accept: [String], maximum: Int64?)
    case array(of: LexiconType, LexiconLimits)
    case object(LexiconObject)
    case reference(LexiconReference)
    /// An object with a `$type`. In an open union, other types are allowed as well.
    case union([LexiconReference], isClosed: Bool)
    /// A name that has no value.
    case token
    /// Any object. This is the lexicons' own type `unknown`.
    case anything
    /// A type that this version does not know, by its name.
    case other(String)
}

/// A smallest and a greatest value or length.
package struct LexiconLimits: Sendable, Hashable {
    package var minimum: Int64?
    package var maximum: Int64?

    package init(minimum: Int64? = nil, maximum: Int64? = nil) {
        self.minimum = minimum
        self.maximum = maximum
    }
}

package struct LexiconInteger: Sendable, Hashable {
    package var limits: LexiconLimits
    /// The only values; none if all are allowed.
    package var values: [Int64]
    package var constant: Int64?
    package var `default`: Int64?
}

package struct LexiconString: Sendable, Hashable {
    /// Such as `did` or `datetime`. It may be one that this version does not know.
    package var format: String?
    /// In bytes of UTF-8.
    package var length: LexiconLimits
    /// In extended grapheme clusters.
    package var graphemes: LexiconLimits
    /// The only values; none if all are allowed.
    package var values: [String]
    /// Values with a meaning. Others are allowed.
    package var knownValues: [String]
    package var constant: String?
    package var `default`: String?
}

/// The members of an object, or the parameters of a method, in the order of the lexicon.
package struct LexiconObject: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package let name: String
        package let type: LexiconType
        package let isRequired: Bool
        /// Whether null is a value. A member that may be null can still be required.
        package let isNullable: Bool
    }

    package let members: [Member]

    /// The member of a name; nil if the object has none.
    package subscript(name: String) -> Member? { members.first { $0.name == name } }
}

/// The name of a definition: `app.bsky.feed.defs#postView`, or `#postView` inside app.bsky.feed.defs.
package struct LexiconReference: Sendable, Hashable, CustomStringConvertible {
    package let document: NSID
    /// `main` if the text has no `#`.
    package let definition: String

    /// - Returns: nil for a text that is no reference.
    package init?(_ text: String, in document: NSID) {
        let name = text.prefix { $0 != "#" }
        let definition = text.dropFirst(name.count)
        guard definition != "#" else { return nil }
        self.definition = definition.isEmpty ? LexiconDocument.main : String(definition.dropFirst())
        guard !name.isEmpty else {
            self.document = document
            return
        }
        guard let nsid = try? NSID(validating: name) else { return nil }
        self.document = nsid
    }

    package var description: String {
        definition == LexiconDocument.main ? document.description : "\(document)#\(definition)"
    }
}
