package import ATPJSON
package import ATProtoIdentity

/// A lexicon: what a method takes and returns, what a record has, or what a set permits (atproto.com/specs/lexicon).
package struct LexiconDocument: Sendable, Hashable {
    /// The name of the definition that the document is about.
    package static let main = "main"

    package let nsid: NSID
    package let definitions: [String: LexiconDefinition]

    package var main: LexiconDefinition? { definitions[Self.main] }

    /// Reads a document. Members that the specification does not name are ignored.
    ///
    /// - Throws: ``InvalidLexicon`` for a document that breaks the specification, or that is too large or too deep.
    ///
    /// - Parameter name: the name that the document must have, byte for byte; nil for any name.
    package init(validating json: JSONObject, named name: NSID? = nil) throws(InvalidLexicon) {
        guard json["lexicon"]?.integer == 1 else { throw InvalidLexicon("lexicon") }
        guard let id = json["id"]?.string, let nsid = try? NSID(validating: id),
            name == nil || name?.description == id
        else { throw InvalidLexicon("id") }
        guard let members = json["defs"]?.object?.members else { throw InvalidLexicon("defs") }
        var reader = LexiconReader(nsid: nsid)
        var definitions: [String: LexiconDefinition] = [:]
        for member in members {
            let definition = try reader.definition(member.value, named: member.name)
            guard definitions.updateValue(definition, forKey: member.name) == nil else {
                throw InvalidLexicon("defs.\(member.name)")
            }
        }
        self.nsid = nsid
        self.definitions = definitions
    }
}

/// A definition of a document.
package enum LexiconDefinition: Sendable, Hashable {
    case method(LexiconMethod)
    case record(LexiconRecord)
    case permissionSet(PermissionSet)
    /// What other definitions refer to.
    case type(LexiconType)
}

/// A query, a procedure or a subscription.
package struct LexiconMethod: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case query, procedure, subscription
    }

    package struct Body: Sendable, Hashable {
        /// The media type.
        package let encoding: String
        /// Nil if the lexicon tells only the media type.
        package let schema: LexiconType?
    }

    package let kind: Kind
    package let parameters: LexiconObject
    package let input: Body?
    package let output: Body?
    /// What a subscription sends.
    package let message: LexiconType?
    /// The names of the errors that callers can tell apart.
    package let errors: [String]
}

/// A record and the keys under which repositories keep it.
package struct LexiconRecord: Sendable, Hashable {
    package enum Key: Sendable, Hashable {
        case any, nsid, tid
        /// The only key.
        case literal(String)
        /// A rule that this version does not know.
        case other(String)
    }

    package let key: Key
    package let object: LexiconObject
}

/// A set of permissions with a name of its own (atproto.com/specs/permission).
package struct PermissionSet: Sendable, Hashable {
    package let title: String?
    package let detail: String?
    /// The title by language.
    package let titles: [String: String]
    /// The details by language.
    package let details: [String: String]
    /// Each permission with all its members, because a server ignores a permission with a member that it does not know.
    package let permissions: [JSONObject]
}

/// The document is no lexicon.
package struct InvalidLexicon: Error, Sendable, Hashable {
    /// The place of the fault, such as `defs.main.record.properties.text.maxLength`.
    package let place: String

    init(_ place: String) {
        self.place = place
    }
}
