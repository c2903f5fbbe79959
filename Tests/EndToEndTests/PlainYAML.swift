/// The YAML that our own files are written in: mappings, lists of mappings, texts of one line, and `|` blocks.
///
/// What else there is in YAML is refused, and never read as something that it is not.
enum PlainYAML {
    case nothing
    case scalar(String)
    case sequence([PlainYAML])
    case mapping([String: PlainYAML])

    /// A line, or a part of a document, that is not among what is known.
    struct NotUnderstood: Error {
        let what: String
    }

    init(_ document: String) throws {
        var reader = Reader(document)
        self = try reader.whole()
    }

    func text() throws -> String {
        guard case .scalar(let text) = self else { throw NotUnderstood(what: "not a text: \(self)") }
        return text
    }

    func items() throws -> [PlainYAML] {
        guard case .sequence(let items) = self else { throw NotUnderstood(what: "not a list: \(self)") }
        return items
    }

    func members() throws -> [String: PlainYAML] {
        guard case .mapping(let members) = self else { throw NotUnderstood(what: "not a mapping: \(self)") }
        return members
    }

    /// Those of a mapping that has these and no others.
    func members(named names: String...) throws -> [String: PlainYAML] {
        let members = try members()
        guard Set(members.keys) == Set(names) else { throw NotUnderstood(what: "members: \(members.keys)") }
        return members
    }
}

extension PlainYAML {
    /// Takes a document apart, line by line.
    private struct Reader {
        private var lines: ArraySlice<Substring>

        init(_ document: String) {
            lines = document.split(separator: "\n", omittingEmptySubsequences: false)[...]
        }

        mutating func whole() throws -> PlainYAML {
            let value = try node(deeperThan: -1)
            if let line = next() { throw NotUnderstood(what: String(line.text)) }
            return value
        }

        /// The next line that says something, and how far it is indented.
        private mutating func next() -> (indent: Int, text: Substring)? {
            while let line = lines.first {
                let text = line.drop { $0 == " " }
                if !text.isEmpty, !text.hasPrefix("#") { return (line.count - text.count, text) }
                lines.removeFirst()
            }
            return nil
        }

        private mutating func node(deeperThan parent: Int) throws -> PlainYAML {
            guard let line = next(), line.indent > parent else { return .nothing }
            if line.text.hasPrefix("- ") { return .sequence(try list(at: line.indent)) }
            return .mapping(try mapping(at: line.indent))
        }

        private mutating func list(at indent: Int) throws -> [PlainYAML] {
            var items: [PlainYAML] = []
            while let line = next(), line.indent == indent, line.text.hasPrefix("- ") {
                // The other members of an item stand below its first one.
                let member = String(repeating: " ", count: indent + 2) + String(line.text.dropFirst(2))
                lines[lines.startIndex] = Substring(member)
                items.append(.mapping(try mapping(at: indent + 2)))
            }
            return items
        }

        private mutating func mapping(at indent: Int) throws -> [String: PlainYAML] {
            var members: [String: PlainYAML] = [:]
            while let line = next(), line.indent >= indent {
                guard line.indent == indent,
                    let match = line.text.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_-]*):(?: (.+))?/),
                    members[String(match.output.1)] == nil
                else { throw NotUnderstood(what: String(line.text)) }
                lines.removeFirst()
                members[String(match.output.1)] = try value(match.output.2, deeperThan: indent)
            }
            return members
        }

        /// What a name is followed by: something on its line, or on the lines below it.
        private mutating func value(_ text: Substring?, deeperThan indent: Int) throws -> PlainYAML {
            guard let text else { return try node(deeperThan: indent) }
            if text == "|" { return .scalar(try block(deeperThan: indent)) }
            if let quoted = text.wholeMatch(of: /"([^"\\]*)"/) { return .scalar(String(quoted.output.1)) }
            // Nothing among it that means something to YAML.
            guard let first = text.first, first.isLetter || first.isNumber || first == "/",
                text.allSatisfy({ $0.isLetter || $0.isNumber || " ,-./_".contains($0) })
            else { throw NotUnderstood(what: String(text)) }
            return .scalar(String(text))
        }

        /// Lines as they are, less what they are all indented by.
        private mutating func block(deeperThan parent: Int) throws -> String {
            let first = lines.first { !$0.allSatisfy { $0 == " " } } ?? ""
            let indent = first.prefix { $0 == " " }.count
            guard indent > parent else { throw NotUnderstood(what: "an empty block") }
            var block: [Substring] = []
            while let line = lines.first, line.prefix(indent).allSatisfy({ $0 == " " }) {
                block.append(line.dropFirst(indent))
                lines.removeFirst()
            }
            while block.last?.isEmpty == true { block.removeLast() }
            return block.joined(separator: "\n") + "\n"
        }
    }
}
