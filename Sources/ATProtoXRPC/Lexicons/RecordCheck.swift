package import ATPJSON
package import ATProtoIdentity
package import ATProtoLexicons

/// What the known lexicons say about the records in a write, before it is sent.
package struct RecordCheck {
    package struct Finding: Sendable, Hashable {
        /// `record[embed][images][0][alt]`, or `rkey`.
        package let place: String
        package let problem: RecordProblem
        /// The lexicon that has the rule: that of the collection, or that of the method.
        package let lexicon: NSID

        /// Whether a newer lexicon may allow it, or a server may keep it.
        package let isDoubt: Bool
    }

    package private(set) var findings: [Finding] = []
    /// The collections that the edition does not have, though their domain is one of its own, each once.
    package private(set) var unknownCollections: [NSID] = []
    /// The key that the first record has to have, if its collection has one key only, and it has no key or another one.
    package private(set) var onlyKey: String?

    private let lexicons: KnownLexicons

    /// Checks the records in the body of a method. Other methods have none, and with `validate: false` the body asks not to look.
    package init(_ body: JSONObject, of nsid: NSID, _ lexicons: KnownLexicons = .compiled) {
        self.lexicons = lexicons
        guard body["validate"] != false else { return }
        var validator = RecordValidator(lexicons.document)
        checkNames(of: body, nsid)
        if nsid.name == "applyWrites", WriteDefaults.apply(to: nsid) { checkTypes(of: body, nsid) }
        for written in body.writtenRecords(of: nsid) { check(written, of: nsid, &validator) }
    }

    /// Finds the members beside the records that the method does not have.
    private mutating func checkNames(of body: JSONObject, _ method: NSID) {
        guard WriteDefaults.apply(to: method), let lexicon = CompiledLexicons.document(method),
            case .method(let definition)? = lexicon.main, case .object(let object)? = definition.input?.schema
        else { return }
        checkNames(of: body, object, in: method) { $0 }
        for (index, write) in (body["writes"]?.array ?? []).enumerated() {
            guard let write = write.object, let type = write["$type"]?.string,
                let reference = LexiconReference(type, in: method), reference.document == method,
                case .type(.object(let object))? = lexicon.definitions[reference.definition]
            else { continue }
            checkNames(of: write, object, in: method) { "writes[\(index)][\($0)]" }
        }
    }

    private mutating func checkNames(
        of members: JSONObject, _ object: LexiconObject, in method: NSID, _ place: (String) -> String
    ) {
        let names = object.members.map(\.name)
        for member in members.members where member.name != "$type" && !names.contains(member.name) {
            find(
                place(member.name),
                .unknown(member.name, others: names.filter { members[$0] == nil }), in: method)
        }
    }

    /// Finds the writes of `applyWrites` that don't say what they are. No server carries them out.
    private mutating func checkTypes(of body: JSONObject, _ method: NSID) {
        let types = WriteDefaults.Action.allCases.map(\.rawValue)
        for (index, write) in (body["writes"]?.array ?? []).enumerated() {
            let place = "writes[\(index)]"
            switch write["$type"] {
            case _ where write.object == nil:
                find(place, .mistyped(.object, isText: write.string != nil), in: method)
            case nil: find("\(place)[$type]", .untyped(types), in: method)
            case .string(let type)? where types.contains(type): break
            case .string(let type)?:
                // `create` and `#create` are the ends of the name that is meant.
                let action = type.split(separator: "#").last ?? ""
                let meant = types.filter { $0.hasSuffix("#\(action)") }
                find("\(place)[$type]", .wrongType(meant.isEmpty ? types : meant), in: method)
            default: find("\(place)[$type]", .wrongType(types), in: method)
            }
        }
    }

    private mutating func check(_ written: WrittenRecord, of method: NSID, _ validator: inout RecordValidator)
    {
        guard let record = written.record else {
            return find(written.name, .missing, in: method)
        }
        guard record.object != nil else {
            return find(written.name, .mistyped(.object, isText: record.string != nil), in: method)
        }
        guard let text = written.collection, let collection = try? NSID(validating: text) else { return }
        let definition = lexicons.record(collection)
        guard
            definition != nil || lexicons.document(collection) != nil || CompiledLexicons.isOwned(collection)
        else { return }
        guard collection.description == text else {
            let problem = RecordProblem.spelling(text, of: collection.description)
            return find(written.name(of: "collection"), problem, in: collection)
        }
        guard let definition else {
            if !unknownCollections.contains(collection) { unknownCollections.append(collection) }
            return
        }
        checkKey(written, definition.key, of: collection)
        for (fault, lexicon) in validator.findings(in: record, of: collection) {
            find(written.name + fault.place, fault.problem, in: collection, byRuleOf: lexicon)
        }
    }

    /// Whether the key of a record is one that its collection has (atproto.com/specs/record-key).
    private mutating func checkKey(_ written: WrittenRecord, _ rule: LexiconRecord.Key, of collection: NSID) {
        let place = written.name(of: "rkey")
        let key: String?
        switch written.key {
        case nil, .null?: key = nil
        case .string(let text)?: key = text
        default: return find(place, .mistyped(.text, isText: false), in: collection)
        }
        switch (rule, key) {
        case (.literal(let only), let key) where key != only:
            if findings.isEmpty { onlyKey = only }
            find(place, .otherKey(only: only), in: collection)
        case (.nsid, nil): find(place, .missingKey, in: collection)
        case (.nsid, let key?) where (try? NSID(validating: key)) == nil:
            find(place, .malformed(.nsid, key), in: collection)
        case (_, nil) where !written.isNew: find(place, .missing, in: collection)
        case (.tid, let key?) where !TID.isValid(key):
            // A record that has such a key already can still be changed.
            find(place, written.isNew ? .namedKey : .oldKey, in: collection)
        default: break
        }
    }

    /// - Parameters:
    ///   - lexicon: what describes how it has to be.
    ///   - rule: the lexicon whose rule it breaks; nil for the same.
    private mutating func find(
        _ place: String, _ problem: RecordProblem, in lexicon: NSID, byRuleOf rule: NSID? = nil
    ) {
        let isDoubt =
            switch problem.kind {
            case .shape: false
            case .limit: !lexicons.limitsDecide(rule ?? lexicon)
            case .unusual, .unknown: true
            }
        findings.append(Finding(place: place, problem: problem, lexicon: lexicon, isDoubt: isDoubt))
    }
}
