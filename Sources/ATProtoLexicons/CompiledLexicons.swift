package import ATPJSON
package import ATProtoIdentity

/// The public lexicons, as they were when this version was made: kinds, members, types and limits, without descriptions.
///
/// The edition is text in the program. Only the lines of the document in question are read, and a program start reads
/// nothing. `scripts/lib/lexicons.py` shows the form.
package enum CompiledLexicons {
    /// The first byte of a line.
    package enum Mark: UInt8 {
        case query = 0x3f  // ?
        case procedure = 0x21  // !
        case subscription = 0x7e  // ~
        case record = 0x3d  // =
        case permissionSet = 0x2b  // +
        /// Any other definition, or the body of a method.
        case other = 0x2e  // .
    }

    /// The domains whose lexicons this edition knows best. What others publish can be newer than the edition.
    package static let owners = ["app.bsky", "chat.bsky", "com.atproto", "tools.ozone"]

    /// Whether a name belongs to one of the ``owners``.
    package static func isOwned(_ nsid: NSID) -> Bool {
        owners.contains(where: nsid.isBelow)
    }

    /// The name of a query or procedure and its kind, for each one in order. Reads the whole edition.
    package static var methods: [(name: String, isQuery: Bool)] {
        authorities.flatMap { authority in
            methodNames(of: authority).map { ("\(authority).\($0.name)", $0.mark == .query) }
        }
    }

    /// The names of the permission sets, in order. Reads the whole edition.
    package static var permissionSets: [String] { names(of: .permissionSet) }

    /// The names of the collections, in order. Reads the whole edition.
    package static var records: [String] { names(of: .record) }

    private static func names(of mark: Mark) -> [String] {
        authorities.flatMap { authority -> [String] in
            guard let text = text(of: authority)?.utf8 else { return [] }
            return text.split(separator: newline).filter { $0.first == mark.rawValue }.map { line in
                "\(authority).\(Substring(line.dropFirst().prefix { $0 != space }))"
            }
        }
    }

    /// Whether the authority has queries or procedures. Their lines come first.
    package static func hasMethods(_ authority: String) -> Bool {
        let mark = text(of: authority)?.utf8.first.flatMap(Mark.init(rawValue:))
        return mark == .query || mark == .procedure
    }

    /// The kind of a document; nil if the edition has none of this name, or one that only defines types.
    package static func mark(of nsid: NSID) -> Mark? {
        line(of: nsid.name, authority: nsid.authority).flatMap { $0.first }.flatMap(Mark.init(rawValue:))
    }

    /// A whole document; nil if the edition has none of this name.
    package static func document(_ nsid: NSID) -> LexiconDocument? {
        json(nsid).flatMap { json in
            do { return try LexiconDocument(validating: json) } catch { return nil }
        }
    }

    /// What a document is about; nil if the edition has no method, record or set of this name. Reads no other definition.
    package static func main(of nsid: NSID) -> LexiconDefinition? {
        line(of: nsid.name, authority: nsid.authority).flatMap { line in
            var reader = LexiconReader(nsid: nsid)
            do { return try reader.definition(.object(main(line, nsid)), named: LexiconDocument.main) } catch
            { return nil }
        }
    }

    /// A document in the JSON of lexicons.
    package static func json(_ nsid: NSID) -> JSONObject? {
        guard let text = text(of: nsid.authority) else { return nil }
        var definitions: [JSONObject.Member] = []
        let lines = text.utf8.split(separator: newline).filter { isKey($0.dropFirst(), of: nsid.name) }
        for line in lines {
            let rest = line.dropFirst(nsid.name.utf8.count + 1)
            if rest.first == UInt8(ascii: "#") {
                let name = rest.dropFirst().prefix { $0 != space }
                var reader = CompiledText(rest.dropFirst(name.count + 2), authority: nsid.authority)
                definitions.append(
                    JSONObject.Member(name: String(Substring(name)), value: .object(reader.type())))
            } else {
                definitions.append(
                    JSONObject.Member(name: LexiconDocument.main, value: .object(main(line, nsid))))
            }
        }
        guard !definitions.isEmpty else { return nil }
        return ["lexicon": 1, "id": .string(nsid.description), "defs": .object(JSONObject(definitions))]
    }

    /// A query, a procedure or a subscription without the types of its bodies; nil if the edition has no such method.
    package static func head(of nsid: NSID) -> JSONObject? {
        guard let line = line(of: nsid.name, authority: nsid.authority),
            let mark = line.first.flatMap(Mark.init(rawValue:))
        else { return nil }
        switch mark {
        case .query, .procedure, .subscription:
            var reader = CompiledText(line.dropFirst(nsid.name.utf8.count + 2), authority: nsid.authority)
            return reader.method(mark)
        case .record, .permissionSet, .other: return nil
        }
    }

    /// The type of a method's response; nil if the edition tells none.
    package static func output(of nsid: NSID) -> JSONObject? { body(of: nsid, ">") }

    // MARK: Lines

    /// The main definition in JSON, with the types of its bodies.
    private static func main(_ line: Substring.UTF8View, _ nsid: NSID) -> JSONObject {
        var reader = CompiledText(line.dropFirst(nsid.name.utf8.count + 2), authority: nsid.authority)
        switch line.first.flatMap(Mark.init(rawValue:)) {
        case .record: return reader.record()
        case .permissionSet: return reader.permissionSet()
        case .other, nil: return reader.type()
        case .query?, .procedure?, .subscription?: break
        }
        guard var method = head(of: nsid) else { return [:] }
        for (name, mark) in [("input", "<"), ("output", ">")] {
            guard let schema = body(of: nsid, mark) else { continue }
            let name = method["type"] == "subscription" ? "message" : name
            var body = method[name]?.object ?? [:]
            body["schema"] = .object(schema)
            method[name] = .object(body)
        }
        // The errors of a method stand at the end.
        if let errors = method["errors"] {
            method["errors"] = nil
            method["errors"] = errors
        }
        return method
    }

    private static func body(of nsid: NSID, _ mark: String) -> JSONObject? {
        guard let line = line(of: nsid.name + mark, authority: nsid.authority) else { return nil }
        var reader = CompiledText(line.dropFirst(nsid.name.utf8.count + 3), authority: nsid.authority)
        return reader.type()
    }

    /// The methods of an authority. Their lines come first.
    private static func methodNames(of authority: String) -> [(mark: Mark, name: Substring)] {
        var names: [(mark: Mark, name: Substring)] = []
        guard let text = text(of: authority)?.utf8 else { return [] }
        var rest = text[...]
        while let mark = rest.first.flatMap(Mark.init(rawValue:)), mark == .query || mark == .procedure {
            names.append((mark, Substring(rest.dropFirst().prefix { $0 != space && $0 != newline })))
            rest = rest.drop { $0 != newline }.dropFirst()
        }
        return names
    }

    /// The line of a name among those of its authority. Every call looks for one, so it reads bytes.
    private static func line(of name: String, authority: String) -> Substring.UTF8View? {
        guard let text = text(of: authority) else { return nil }
        let (bytes, wanted) = (text.utf8.span, name.utf8.span)
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != newline { end += 1 }
            if isName(wanted, in: bytes.extracting(start..<end)) {
                let first = text.utf8.index(text.startIndex, offsetBy: start)
                return text[first..<text.utf8.index(first, offsetBy: end - start)].utf8
            }
            start = end + 1
        }
        return nil
    }

    /// Whether a name stands after the first character of a line, as a whole word.
    private static func isName(_ name: Span<UInt8>, in line: Span<UInt8>) -> Bool {
        guard line.count > name.count, line.count == name.count + 1 || line[name.count + 1] == space else {
            return false
        }
        return name.indices.allSatisfy { name[$0] == line[$0 + 1] }
    }

    /// Whether a line is one of a document's: its name, and then a space or the name of a definition.
    private static func isKey(_ line: Substring.UTF8View, of name: String) -> Bool {
        guard line.starts(with: name.utf8) else { return false }
        let next = line.dropFirst(name.utf8.count).first
        return next == nil || next == space || next == UInt8(ascii: "#")
    }

    private static let space = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")
}
