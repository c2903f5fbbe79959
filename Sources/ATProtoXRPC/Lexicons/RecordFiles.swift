package import ATProtoIdentity
internal import ATProtoLexicons

/// The files that the records of a collection can have.
package enum RecordFiles {
    /// The media types, or patterns of them, that the compiled lexicons allow in a record and in everything that they name in it.
    ///
    /// - Returns: in order; none if the edition does not have the collection.
    package static func types(of collection: NSID) -> [String] {
        guard case .record(let record)? = CompiledLexicons.main(of: collection) else { return [] }
        var search = Search()
        search.visit(.object(record.object))
        return search.types.sorted()
    }

    private struct Search {
        var types: Set<String> = []
        private var seen: Set<LexiconReference> = []

        mutating func visit(_ type: LexiconType) {
            switch type {
            case .blob(let accept, maximum: _): types.formUnion(accept.isEmpty ? ["*/*"] : accept)
            case .array(let element, _): visit(element)
            case .object(let object): for member in object.members { visit(member.type) }
            case .reference(let reference): follow(reference)
            case .union(let references, isClosed: _): references.forEach { follow($0) }
            case .boolean, .integer, .string, .bytes, .link, .token, .anything, .other: break
            }
        }

        private mutating func follow(_ reference: LexiconReference) {
            // A definition can name itself.
            guard seen.insert(reference).inserted,
                let definition = CompiledLexicons.document(reference.document)?.definitions[
                    reference.definition]
            else { return }
            switch definition {
            case .type(let type): visit(type)
            case .record(let record): visit(.object(record.object))
            case .method, .permissionSet: break
            }
        }
    }
}
