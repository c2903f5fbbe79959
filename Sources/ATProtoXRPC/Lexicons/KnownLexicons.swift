package import ATPJSON
package import ATProtoIdentity
package import ATProtoLexicons

/// The lexicons that a call may use: those of the compiled edition, and those of others.
///
/// The edition is the only one for names in the domains of `CompiledLexicons.owners`. For other names it decides nothing, because
/// their authors publish newer ones.
package struct KnownLexicons: Sendable {
    /// Where a lexicon of others is from.
    package enum Source: Sendable, Hashable {
        /// It was proven to be its publisher's: within the last day, or before.
        case publisher(isFresh: Bool)
        /// A folder that the user names.
        case folder
    }

    /// A lexicon of others.
    package struct Foreign: Sendable {
        package let document: LexiconDocument
        package let json: JSONObject
        fileprivate let source: Source

        /// - Parameter json: the same document.
        package init(_ document: LexiconDocument, _ json: JSONObject, from source: Source) {
            self.document = document
            self.json = json
            self.source = source
        }
    }

    private let foreign: [NSID: Foreign]

    /// Without those of others.
    package static let compiled = KnownLexicons([:])

    package init(_ foreign: [NSID: Foreign]) {
        self.foreign = foreign
    }

    /// A lexicon that may refuse a record, and name what is filled in.
    package func document(_ nsid: NSID) -> LexiconDocument? {
        CompiledLexicons.isOwned(nsid) ? CompiledLexicons.document(nsid) : foreign[nsid]?.document
    }

    /// The collection of a name; nil if no lexicon that decides has it.
    package func record(_ nsid: NSID) -> LexiconRecord? {
        let main =
            CompiledLexicons.isOwned(nsid)
            ? CompiledLexicons.main(of: nsid) : foreign[nsid]?.document.main
        guard case .record(let record)? = main else { return nil }
        return record
    }

    /// A method, and whether a lexicon of others says so instead of the edition. The edition's words about names of others count only until
    /// there is another.
    package func method(_ nsid: NSID) -> (method: PublicMethod, isForeign: Bool)? {
        guard !CompiledLexicons.isOwned(nsid), let lexicon = foreign[nsid] else {
            return PublicMethods.method(nsid).map { ($0, false) }
        }
        let main = lexicon.json["defs"]?[LexiconDocument.main]?.object
        return main.flatMap { PublicMethod($0, named: nsid) }.map { ($0, true) }
    }

    /// A permission set. One of others is told only by a proof of the last day.
    package func permissionSet(_ nsid: NSID) -> PermissionSet? {
        let main =
            CompiledLexicons.isOwned(nsid)
            ? CompiledLexicons.main(of: nsid)
            : foreign[nsid].flatMap { $0.source == .publisher(isFresh: true) ? $0.document.main : nil }
        guard case .permissionSet(let set)? = main else { return nil }
        return set
    }

    /// Whether a value beyond a limit of the lexicon is refused. Authors raise limits, so one of an older lexicon is only told.
    func limitsDecide(_ nsid: NSID) -> Bool {
        foreign[nsid].map { $0.source != .publisher(isFresh: false) } ?? false
    }

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
