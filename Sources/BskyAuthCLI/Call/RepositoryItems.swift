internal import ATPJSON
internal import ATProtoIdentity
internal import ATProtoXRPC

/// The items of a call to a repository. Those that can't be meant as they are written are refused, because the server
/// would say less.
struct RepositoryItems {
    private let nsid: NSID

    init(of nsid: NSID) {
        self.nsid = nsid
    }

    /// - Parameter isStrict: whether a call that lacks something is refused too.
    func check(_ items: [XRPCInput.Item], isStrict: Bool) throws {
        try refuseText(items)
        guard isStrict else { return }
        try refuseNamedAddress(items)
        try refuseMembersOutside(items)
    }

    /// Refuses text for the record of a write.
    private func refuseText(_ items: [XRPCInput.Item]) throws {
        guard WriteDefaults.apply(to: nsid) else { return }
        let name = nsid.name == "applyWrites" ? "writes" : "record"
        for case .text(name, let text) in items {
            let part = name == "record" ? "'record[text]=…'" : "'writes[0][collection]=…'"
            let isJSON = (try? JSONParser.parse(Array(text.utf8))) != nil
            let whole = isJSON ? "\(name):=\(text.escapedForTerminal.shellQuoted), or " : ""
            throw Failure(
                .usage, "usage", "\"\(name)\" is JSON, but \(name)=… sends text",
                hint: "write \(whole)\(part) for a member")
        }
    }

    /// Refuses `uri=at://…`, if the method takes the address as repo, collection and rkey.
    private func refuseNamedAddress(_ items: [XRPCInput.Item]) throws {
        guard RecordReference.members(of: nsid) > 0, !items.contains(where: { $0.name == "collection" })
        else { return }
        for case .text("uri", let text) in items where RecordReference.isMeant(by: text) {
            throw Failure(
                .usage, "usage", "\(nsid.name) has no \"uri\": it takes the address without a name",
                hint: "bskyauth call \(nsid) \(text.escapedForTerminal.shellQuoted)")
        }
    }

    /// Refuses the members of a record beside it, such as `text=hello`, if there is no record.
    private func refuseMembersOutside(_ items: [XRPCInput.Item]) throws {
        guard ["createRecord", "putRecord"].contains(nsid.name), WriteDefaults.apply(to: nsid),
            !items.contains(where: { Self.topName($0) == "record" })
        else { return }
        for item in items where !Self.members.contains(Self.topName(item)) {
            let top = Self.topName(item)
            if item.name != top, String(top).nearest(of: ["record"]) != nil {
                throw Failure(
                    .usage, "usage",
                    "\(nsid.name) has no member \"\(String(top).escapedForTerminal)\"; did you mean record?",
                    hint: "write 'record\(String(item.name[top.endIndex...]).escapedForTerminal)=…'")
            }
            guard let meant = Self.insideRecord(item) else { continue }
            throw Failure(
                .usage, "usage",
                "\(nsid.name) has no member \"\(item.name.escapedForTerminal)\"; a member of the record has brackets",
                hint: "write \(meant.escapedForTerminal.shellQuoted)")
        }
    }

    /// The members of the body of `createRecord` and `putRecord`.
    private static let members: Set<Substring> = [
        "repo", "collection", "rkey", "validate", "record", "swapRecord", "swapCommit",
    ]

    /// The name before the first bracket.
    private static func topName(_ item: XRPCInput.Item) -> Substring { item.name.prefix { $0 != "[" } }

    /// `record[text]=hello` for `text=hello` or `record.text=hello`; nil for a parameter of the URL.
    private static func insideRecord(_ item: XRPCInput.Item) -> String? {
        let top = topName(item)
        var path = top.split(separator: ".")
        if path.first == "record" { path.removeFirst() }
        let name = "record" + path.map { "[\($0)]" }.joined() + item.name[top.endIndex...]
        return switch item {
        case .text(_, let text): "\(name)=\(text)"
        case .json(_, let json): "\(name):=\(json.text)"
        case .parameter: nil
        }
    }
}
