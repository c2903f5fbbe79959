package import ATPJSON
package import ATProtoIdentity
package import ATProtoLexicons

/// The lexicons that a call may use: those of the compiled edition, and those of others that were proven.
///
/// The edition is the only one for names in the domains of `CompiledLexicons.owners`. For other names it decides nothing, because
/// their authors publish newer ones.
package struct KnownLexicons: Sendable {
    /// A lexicon that its publisher has proven.
    package struct Proven: Sendable {
        fileprivate let document: LexiconDocument
        fileprivate let json: JSONObject
        fileprivate let isFresh: Bool

        /// - Parameters:
        ///   - json: the same document.
        ///   - isFresh: whether it was proven within the last day.
        package init(_ document: LexiconDocument, _ json: JSONObject, isFresh: Bool) {
            self.document = document
            self.json = json
            self.isFresh = isFresh
        }
    }

    private let proven: [NSID: Proven]

    /// Without those of others.
    package static let compiled = KnownLexicons([:])

    package init(_ proven: [NSID: Proven]) {
        self.proven = proven
    }

    /// A lexicon that may refuse a record, and name what is filled in.
    package func document(_ nsid: NSID) -> LexiconDocument? {
        CompiledLexicons.isOwned(nsid) ? CompiledLexicons.document(nsid) : proven[nsid]?.document
    }

    /// The collection of a name; nil if no lexicon that decides has it.
    package func record(_ nsid: NSID) -> LexiconRecord? {
        let main =
            CompiledLexicons.isOwned(nsid)
            ? CompiledLexicons.main(of: nsid) : proven[nsid]?.document.main
        guard case .record(let record)? = main else { return nil }
        return record
    }

    /// A method, and whether its publisher says so instead of the edition. The edition's words about names of others count only until
    /// there is a proof.
    package func method(_ nsid: NSID) -> (method: PublicMethod, isPublishers: Bool)? {
        guard !CompiledLexicons.isOwned(nsid), let lexicon = proven[nsid] else {
            return PublicMethods.method(nsid).map { ($0, false) }
        }
        let main = lexicon.json["defs"]?[LexiconDocument.main]?.object
        return main.flatMap { PublicMethod($0, named: nsid) }.map { ($0, true) }
    }

    /// A permission set, which one that was proven more than a day ago does not tell.
    package func permissionSet(_ nsid: NSID) -> PermissionSet? {
        let main =
            CompiledLexicons.isOwned(nsid)
            ? CompiledLexicons.main(of: nsid)
            : proven[nsid].flatMap { $0.isFresh ? $0.document.main : nil }
        guard case .permissionSet(let set)? = main else { return nil }
        return set
    }

    /// Whether a limit of the lexicon is refused. Authors raise limits, so an older one is only told.
    func limitsDecide(_ nsid: NSID) -> Bool { proven[nsid]?.isFresh == true }

    /// The names of other documents that a lexicon refers to.
    package static func references(of document: LexiconDocument) -> Set<NSID> {
        var names: Set<NSID> = []
        func visit(_ type: LexiconType) {
            switch type {
            case .array(let element, _): visit(element)
            case .object(let object): object.members.forEach { visit($0.type) }
            case .reference(let reference): names.insert(reference.document)
            case .union(let references, isClosed: _): names.formUnion(references.map(\.document))
            case .boolean, .integer, .string, .bytes, .link, .blob, .token, .anything, .other: break
            }
        }
        for definition in document.definitions.values {
            switch definition {
            case .type(let type): visit(type)
            case .record(let record): visit(.object(record.object))
            // The bodies of methods are not checked.
            case .method, .permissionSet: break
            }
        }
        return names.subtracting([document.nsid])
    }

    /// The collections of the records in the body of a write that others publish, each once.
    package static func foreignCollections(in body: JSONObject, of nsid: NSID) -> [NSID] {
        body.writtenRecords(of: nsid).reduce(into: []) { names, written in
            guard let text = written.collection, let name = try? NSID(validating: text),
                !CompiledLexicons.isOwned(name), !names.contains(name)
            else { return }
            names.append(name)
        }
    }
}
