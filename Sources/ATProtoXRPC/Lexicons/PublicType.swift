package import ATPJSON
package import ATProtoIdentity
package import ATProtoLexicons

/// A type that other definitions refer to, as help shows it.
package struct PublicType: Sendable, Hashable {
    /// Such as `app.bsky.embed.images` or `app.bsky.embed.images#image`.
    package let name: String
    /// The type in words: `object`.
    package let type: String
    /// The members of an object; empty for other types.
    package let members: [PublicMember]

    /// The types of a document in their order; none if the edition has no such document.
    package static func all(of nsid: NSID) -> [PublicType] {
        guard let document = CompiledLexicons.document(nsid), let json = CompiledLexicons.json(nsid) else {
            return []
        }
        return all(in: document, json)
    }

    /// The types of a document in their order.
    ///
    /// - Parameter json: the same document.
    package static func all(in document: LexiconDocument, _ json: JSONObject) -> [PublicType] {
        let names = json["defs"]?.object?.members.map(\.name) ?? []
        return names.compactMap { name in
            guard case .type(let type)? = document.definitions[name] else { return nil }
            return PublicType(
                name: name == LexiconDocument.main ? document.nsid.description : "\(document.nsid)#\(name)",
                type: type.words,
                members: type.members.map { PublicMember($0) })
        }
    }
}

extension LexiconType {
    fileprivate var members: [LexiconObject.Member] {
        if case .object(let object) = self { object.members } else { [] }
    }
}
