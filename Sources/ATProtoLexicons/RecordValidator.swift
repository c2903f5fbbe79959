package import ATPJSON
package import ATProtoIdentity

/// Checks a record against the lexicon of its collection (atproto.com/specs/lexicon), as far as lexicons are known.
///
/// Members that no lexicon has, unlisted types of open unions and unlisted known values are allowed; the first two are found as
/// unknown. A lexicon is read once for all records of a validator.
package struct RecordValidator: Sendable {
    /// A value that does not fit.
    package struct Fault: Sendable, Hashable {
        /// The way to the value, as the items of a call write it: `[embed][images][0][alt]`. Empty for the record itself.
        package let place: String
        package let problem: RecordProblem

        package init(_ place: String, _ problem: RecordProblem) {
            (self.place, self.problem) = (place, problem)
        }
    }

    /// The lexicons that were asked for.
    private struct Lexicons: Sendable {
        let read: @Sendable (NSID) -> LexiconDocument?
        var known: [NSID: LexiconDocument?] = [:]

        mutating func document(_ nsid: NSID) -> LexiconDocument? {
            if let known = known[nsid] { return known }
            let document = read(nsid)
            known[nsid] = .some(document)
            return document
        }
    }

    private var lexicons: Lexicons

    /// - Parameter document: reads a lexicon; nil for one that is not known.
    package init(_ document: @escaping @Sendable (NSID) -> LexiconDocument?) {
        lexicons = Lexicons(read: document)
    }

    /// The faults of a record, in its order; none if its lexicon is not known. At most twenty of each kind are found.
    package mutating func faults(in record: JSONValue, of collection: NSID) -> [Fault] {
        findings(in: record, of: collection).map(\.fault)
    }

    /// The faults of a record, each with the lexicon whose rule it breaks: that of the collection, or of a type that it refers to.
    package mutating func findings(
        in record: JSONValue, of collection: NSID
    ) -> [(fault: Fault, lexicon: NSID)] {
        guard case .record(let definition)? = lexicons.document(collection)?.main else { return [] }
        var check = Check(lexicons: lexicons, of: collection)
        defer { lexicons = check.lexicons }
        guard let object = record.object else {
            check.mistyped(record, .object)
            return check.found
        }
        switch object["$type"] {
        // A server fills it in.
        case nil, .string(collection.description)?: break
        default: check.at("$type") { $0.fault(.wrongType([collection.description])) }
        }
        check.members(of: object, definition.object)
        return check.found
    }

    /// The walk through a value.
    private struct Check {
        var lexicons: Lexicons
        var found: [(fault: Fault, lexicon: NSID)] = []
        private var path: [String] = []
        /// Whose rules are checked.
        private var lexicon: NSID

        init(lexicons: Lexicons, of lexicon: NSID) {
            self.lexicons = lexicons
            self.lexicon = lexicon
        }

        private static let mostFaults = 20
        private static let deepest = 64

        mutating func fault(_ problem: RecordProblem) {
            guard found.count(where: { $0.fault.problem.kind == problem.kind }) < Self.mostFaults else {
                return
            }
            found.append((Fault(path.map { "[\($0)]" }.joined(), problem), lexicon))
        }

        mutating func mistyped(_ value: JSONValue, _ needed: RecordProblem.Need) {
            fault(.mistyped(needed, isText: value.string != nil))
        }

        mutating func at(_ name: String, _ body: (inout Check) -> Void) {
            path.append(name)
            body(&self)
            path.removeLast()
        }

        // MARK: Objects

        mutating func members(of object: JSONObject, _ definition: LexiconObject) {
            for member in definition.members {
                at(member.name) { check in
                    switch object[member.name] {
                    case nil: if member.isRequired { check.fault(.missing) }
                    case .null?: if !member.isNullable { check.fault(.null) }
                    case let value?: check.value(value, member.type)
                    }
                }
            }
            unknown(in: object, definition)
        }

        /// Finds the members that the lexicon does not have. `$type` and other names that begin with `$` belong to the data model.
        private mutating func unknown(in object: JSONObject, _ definition: LexiconObject) {
            let names = definition.members.map(\.name)
            for member in object.members where !member.name.hasPrefix("$") && !names.contains(member.name) {
                at(member.name) {
                    $0.fault(.unknown(member.name, others: names.filter { object[$0] == nil }))
                }
            }
        }

        mutating func value(_ value: JSONValue, _ type: LexiconType) {
            guard path.count <= Self.deepest else {
                fault(.tooDeep)
                return
            }
            switch type {
            case .boolean(let constant, _):
                guard let bool = value.bool else { return mistyped(value, .boolean) }
                if let constant, bool != constant { fault(.other(than: "\(constant)")) }
            case .integer(let integer): self.integer(value, integer)
            case .string(let string): text(value, string)
            case .bytes(let limits): bytes(value, limits)
            case .link:
                guard let link = value.object?["$link"]?.string, StringFormat.cid.accepts(link) else {
                    return mistyped(value, .link)
                }
            case .blob(let accept, let maximum): blob(value, accept, maximum)
            case .array(let element, let limits):
                guard let array = value.array else { return mistyped(value, .list) }
                length(array.count, limits, .elements)
                for (index, value) in array.enumerated() { at("\(index)") { $0.value(value, element) } }
            case .object(let object):
                guard let value = value.object else { return mistyped(value, .object) }
                members(of: value, object)
            case .reference(let reference): referred(value, reference)
            case .union(let references, let isClosed): union(value, references, isClosed)
            case .anything:
                // A link, bytes and a file are no objects in the data model.
                guard let object = value.object, object["$link"] == nil, object["$bytes"] == nil,
                    object["$type"] != "blob"
                else { return mistyped(value, .object) }
            case .token, .other: break
            }
        }

        private mutating func referred(_ value: JSONValue, _ reference: LexiconReference) {
            let outer = lexicon
            lexicon = reference.document
            defer { lexicon = outer }
            switch lexicons.document(reference.document)?.definitions[reference.definition] {
            case .type(let type)?: self.value(value, type)
            case .record(let record)?: self.value(value, .object(record.object))
            case .method?, .permissionSet?, nil: break
            }
        }

        private mutating func union(_ value: JSONValue, _ references: [LexiconReference], _ isClosed: Bool) {
            guard let object = value.object else { return mistyped(value, .typedObject) }
            guard let name = object["$type"]?.string else {
                return at("$type") { $0.fault(.untyped(references.map(\.description))) }
            }
            let main = "#\(LexiconDocument.main)"
            let meant = name.hasSuffix(main) ? String(name.dropLast(main.count)) : name
            if let reference = references.first(where: { $0.description == meant }) {
                referred(value, reference)
            } else if isClosed {
                at("$type") { $0.fault(.wrongType(references.map(\.description))) }
            } else {
                at("$type") { $0.fault(.unlistedType(meant, listed: references.map(\.description))) }
            }
        }

        // MARK: Values

        private mutating func integer(_ value: JSONValue, _ type: LexiconInteger) {
            guard let integer = value.wholeNumber else { return mistyped(value, .integer) }
            if let constant = type.constant, integer != constant { fault(.other(than: "\(constant)")) }
            if !type.values.isEmpty, !type.values.contains(integer) {
                fault(.unlisted(type.values.map(\.description)))
            }
            if let minimum = type.limits.minimum, integer < minimum {
                fault(.tooSmall(least: minimum))
            }
            if let maximum = type.limits.maximum, integer > maximum {
                fault(.tooGreat(most: maximum))
            }
        }

        private mutating func text(_ value: JSONValue, _ type: LexiconString) {
            guard let text = value.string else { return mistyped(value, .text) }
            if let format = type.format.flatMap(StringFormat.init(rawValue:)), !format.accepts(text) {
                fault(.malformed(format, text))
            }
            if let constant = type.constant, text != constant { fault(.other(than: constant)) }
            if !type.values.isEmpty, !type.values.contains(text) {
                fault(.unlisted(type.values))
            }
            length(text.utf8.count, type.length, .bytes)
            // Most texts are shorter in bytes than they may be in characters.
            let (least, most) = (type.graphemes.minimum ?? 0, type.graphemes.maximum ?? .max)
            if least > 0 || text.utf8.count > most { length(text.count, type.graphemes, .characters) }
        }

        private mutating func bytes(_ value: JSONValue, _ limits: LexiconLimits) {
            let base64 = value.object?["$bytes"]?.string?.utf8.filter { $0 != UInt8(ascii: "=") }
            guard let base64, base64.allSatisfy({ $0.isASCIIAlphanumeric || "+/".utf8.contains($0) }),
                base64.count % 4 != 1
            else { return mistyped(value, .bytes) }
            length(base64.count * 3 / 4, limits, .bytes)
        }

        private mutating func blob(_ value: JSONValue, _ accept: [String], _ maximum: Int64?) {
            // Old records have files of another form (atproto.com/specs/data-model), which can be written again.
            if let object = value.object, object.members.count == 2, object["mimeType"]?.string != nil,
                let link = object["cid"]?.string, StringFormat.cid.accepts(link)
            {
                return
            }
            guard let object = value.object, object["$type"] == "blob",
                let link = object["ref"]?["$link"]?.string, StringFormat.cid.accepts(link),
                let type = object["mimeType"]?.string, let size = object["size"]?.wholeNumber, size >= 0
            else { return mistyped(value, .blob) }
            if let maximum, size > maximum { fault(.tooLarge(size, most: maximum)) }
            if !accept.isEmpty, !accept.contains(where: { MediaPattern.covers($0, type) }) {
                fault(.mediaType(type, accepted: accept))
            }
        }

        private mutating func length(_ count: Int, _ limits: LexiconLimits, _ unit: RecordProblem.Unit) {
            if let maximum = limits.maximum, count > maximum {
                fault(.tooLong(count, most: maximum, unit))
            }
            if let minimum = limits.minimum, count < minimum {
                fault(.tooShort(count, least: minimum, unit))
            }
        }
    }
}

extension JSONValue {
    /// An integer also as `4.0` or `1e2`, which readers of JSON take for the same number.
    fileprivate var wholeNumber: Int64? {
        guard case .number(let text) = self else { return nil }
        return integer ?? Double(text).flatMap(Int64.init(exactly:))
    }
}
