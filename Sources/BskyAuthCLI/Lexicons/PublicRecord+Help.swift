internal import ATProtoIdentity
internal import ATProtoXRPC

extension PublicRecord {
    /// What `bskyauth help NSID` shows.
    ///
    /// - Parameters:
    ///   - source: who says so, after a blank.
    ///   - lexicons: say what a call fills in.
    func help(from source: String, _ lexicons: KnownLexicons = .compiled) -> String {
        var table = Table()
        for member in members {
            table.append([member.name, member.isRequired ? "required" : "", member.type])
        }
        return [
            "\(nsid) is a collection\(source).",
            "MEMBERS:\n" + table.lines.map { "  \($0)" }.joined(separator: "\n"), "KEY: \(key)",
            "EXAMPLE:\n  \(example(lexicons))",
        ].joined(separator: "\n\n")
    }

    /// A command line that writes a record with all required members.
    private func example(_ lexicons: KnownLexicons) -> String {
        let needed = members.filter { $0.isRequired && !WriteDefaults.fills($0.name, in: nsid, lexicons) }
        let isPlain = needed.allSatisfy { $0.type.hasPrefix("text") }
        // A record without required members is shown with its first one.
        let shown =
            needed.isEmpty ? Array(members.first { $0.type.hasPrefix("text") }.map { [$0] } ?? []) : needed
        let record = isPlain ? shown.map { "'record[\($0.name)]=…'" } : ["--file record:=record.json"]
        // putRecord would replace all of a record that is there.
        let write = onlyKey.map { ["putRecord", "collection=\(nsid)", "rkey=\($0)", "swapRecord:=null"] }
        let words =
            (write ?? ["createRecord", "collection=\(nsid)"]) + (record.isEmpty ? ["record:='{}'"] : record)
        return "bskyauth call com.atproto.repo.\(words.joined(separator: " "))"
    }
}
