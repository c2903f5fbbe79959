internal import ATProtoIdentity
internal import ATProtoXRPC

extension PublicRecord {
    /// What `bskyauth help NSID` shows.
    ///
    /// - Parameters:
    ///   - source: who says so, after a blank.
    ///   - lexicons: say what a call fills in.
    func help(from source: String, _ lexicons: KnownLexicons = .compiled) -> String {
        [
            "\(nsid) is a collection\(source).",
            "MEMBERS:\n" + members.help, "KEY: \(key)",
            "EXAMPLE:\n  \(example(lexicons))",
        ].joined(separator: "\n\n")
    }

    /// A command line that writes a record with all required members.
    private func example(_ lexicons: KnownLexicons) -> String {
        let needed = members.filter { $0.isRequired && !WriteDefaults.fills($0.name, in: nsid, lexicons) }
        // A record without required members is shown with its first one.
        let shown =
            needed.isEmpty ? Array(members.first(where: \.isText).map { [$0] } ?? []) : needed
        let isPlain = shown.allSatisfy { $0.isText || !$0.needed.isEmpty && $0.needed.allSatisfy(\.isText) }
        let items = shown.flatMap { member in
            member.isText
                ? ["record[\(member.name)]=\(member.sample)"]
                : member.needed.map { "record[\(member.name)][\($0.name)]=\($0.sample)" }
        }
        let record = isPlain ? items.map(\.shellQuoted) : ["--file record:=record.json"]
        // putRecord would replace all of a record that is there.
        let write = onlyKey.map {
            ["putRecord", "collection=\(nsid)", "rkey=\($0)".shellQuoted, "swapRecord:=null"]
        }
        let words =
            (write ?? ["createRecord", "collection=\(nsid)"]) + (record.isEmpty ? ["record:='{}'"] : record)
        return "bskyauth call com.atproto.repo.\(words.joined(separator: " "))"
    }
}

extension PublicMember {
    /// Whether an item gives its value.
    fileprivate var isText: Bool { type.hasPrefix("text") }

    /// What stands for a value of text.
    fileprivate var sample: String { type.hasPrefix("text, at-uri") ? "at://…" : "…" }
}

extension [PublicMember] {
    /// One line for each.
    fileprivate var help: String {
        var table = Table()
        for member in self { table.append([member.name, member.isRequired ? "required" : "", member.type]) }
        return table.lines.map { "  \($0)" }.joined(separator: "\n")
    }
}

extension PublicType {
    /// What `bskyauth help` shows of a document that defines types, or of one of them.
    ///
    /// - Parameters:
    ///   - name: the document, or the type after `#`.
    ///   - source: who says so, after a blank.
    static func help(_ types: [PublicType], of name: String, from source: String) -> String {
        let sections = types.map { type in
            let text = type.members.isEmpty ? "  \(type.type)" : type.members.help
            return types.count == 1
                ? "\(type.members.isEmpty ? "TYPE" : "MEMBERS"):\n\(text)" : "\(type.name):\n\(text)"
        }
        let what = types.count == 1 ? "is a type" : "defines types"
        return (["\(name) \(what)\(source)."] + sections).joined(separator: "\n\n")
    }
}
