internal import ATProtoIdentity
internal import ATProtoXRPC
internal import HTTPTypes

extension CallItem {
    /// Header fields that only the program sets: credentials and framing.
    private static let reserved: Set<String> = [
        "authorization", "dpop", "host", "content-length", "transfer-encoding", "connection", "expect", "te",
        "trailer", "upgrade", "cookie", "proxy-authorization",
    ]

    /// Adds the item to the query, the body or the header of a request.
    func add(
        to values: inout [XRPCInput.Item], _ fields: inout HTTPFields, of nsid: NSID
    ) throws {
        switch self {
        case .record(let record, let text): values += try record.items(of: nsid, writtenAs: text)
        case .literal(let name, let value): values.append(.text(name: name, value))
        case .typed(let name, let value): values.append(.json(name: name, value))
        case .query(let name, let value): values.append(.parameter(name: name, value))
        case .header(let name, let value):
            let trimmed = value.drop { $0 == " " }
            guard !Self.reserved.contains(name.lowercased()) else {
                throw Failure.usage(
                    "the header \(name.escapedForTerminal) is set by bskyauth and can't be given")
            }
            guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(String(trimmed)) else {
                throw Failure.usage(
                    "\"\(name.escapedForTerminal)\" is not a valid header name, or its value has a line break"
                )
            }
            fields.append(HTTPField(name: fieldName, value: String(trimmed)))
        }
    }
}

extension RecordReference {
    /// How many of `repo`, `collection` and `rkey` a method takes.
    private static let memberCounts = [
        "com.atproto.repo.applyWrites": 1, "com.atproto.repo.createRecord": 3,
        "com.atproto.repo.deleteRecord": 3, "com.atproto.repo.describeRepo": 1,
        "com.atproto.repo.getRecord": 3, "com.atproto.repo.listRecords": 2, "com.atproto.repo.putRecord": 3,
    ]

    /// How many of `repo`, `collection` and `rkey` a method takes; 0 for a method that takes none.
    static func members(of nsid: NSID) -> Int { memberCounts[nsid.description] ?? 0 }

    /// `repo`, `collection` and `rkey`, as far as the address names them. A method that takes less is refused.
    fileprivate func items(of nsid: NSID, writtenAs text: String) throws -> [XRPCInput.Item] {
        let most = Self.members(of: nsid)
        guard most > 0 else { throw notTaken(by: nsid, text) }
        let parts = [("repo", repo.description), ("collection", collection?.description), ("rkey", key)]
        let items = parts.compactMap { name, value in value.map { XRPCInput.Item.text(name: name, $0) } }
        guard items.count <= most else {
            let taken = most == 1 ? "at://REPO" : "at://REPO/COLLECTION"
            throw Failure.usage("\(nsid) takes \(taken), not \"\(text.escapedForTerminal)\"")
        }
        return items
    }

    private func notTaken(by nsid: NSID, _ text: String) -> Failure {
        let text = text.escapedForTerminal
        let method = PublicMethods.method(nsid)
        let name = parameterNames.first { name in method?.parameters.contains { $0.name == name } == true }
        if name == nil, method?.kind == .query {
            return Failure(
                .usage, "usage", "\(nsid.name) takes no address such as \"\(text)\"",
                hint: "bskyauth help \(nsid)")
        }
        let item = "\(name ?? "NAME")=\(collection == nil ? repo.description : description)"
        return Failure(
            .usage, "usage",
            "\(nsid) does not take repo, collection and rkey, so \"\(text)\" needs a name",
            hint: "bskyauth call \(nsid) \(item.shellQuoted)")
    }

    /// The names that parameters for such an address have in the public lexicons, the most special one first.
    private var parameterNames: [String] {
        if case (.did, nil) = (repo, collection) { return ["actor", "actors", "repo", "did", "dids"] }
        return switch collection?.description {
        case nil: ["actor", "actors", "repo", "handle"]
        case "app.bsky.feed.generator": ["feed", "feeds", "uri", "uris"]
        case "app.bsky.graph.list": ["list", "uri", "uris"]
        case "app.bsky.graph.starterpack": ["starterPack", "uri", "uris"]
        default: ["uri", "uris", "anchor"]
        }
    }
}
