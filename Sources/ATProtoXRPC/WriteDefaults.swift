package import ATPJSON
package import ATProtoIdentity

/// The members that a write to a repository may leave out.
package struct WriteDefaults: Sendable {
    private let repo: DID
    private let now: @Sendable () -> String

    /// - Parameter now: the time for `createdAt`. It is only asked for if a record needs it.
    package init(repo: DID, now: @escaping @Sendable () -> String) {
        self.repo = repo
        self.now = now
    }

    /// Whether the body of a method names the repository as `repo`.
    package static func apply(to nsid: NSID) -> Bool {
        nsid.authority == "com.atproto.repo"
            && ["applyWrites", "createRecord", "deleteRecord", "putRecord"].contains(nsid.name)
    }

    /// The body of a write with `repo`, and with the `$type` and `createdAt` of new records.
    ///
    /// - Returns: also the names of the members that were filled in, as items write them.
    package func complete(_ body: JSONObject?, of nsid: NSID) -> (body: JSONObject, filled: [String]) {
        var (body, filled) = (body ?? JSONObject(), [String]())
        if body["repo"] == nil {
            body = JSONObject(
                [JSONObject.Member(name: "repo", value: .string(repo.description))] + body.members)
            filled.append("repo")
        }
        switch nsid.name {
        case "createRecord", "putRecord":
            complete("record", of: &body, "record", isNew: nsid.name == "createRecord", &filled)
        case "applyWrites": complete(writes: &body, &filled)
        default: break
        }
        return (body, filled)
    }

    private func complete(writes body: inout JSONObject, _ filled: inout [String]) {
        guard case .array(var writes)? = body["writes"] else { return }
        for (index, write) in writes.enumerated() {
            guard case .object(var write) = write, let kind = write["$type"]?.string,
                ["create", "update"].contains(where: { kind == "com.atproto.repo.applyWrites#\($0)" })
            else { continue }
            complete(
                "value", of: &write, "writes[\(index)][value]", isNew: kind.hasSuffix("#create"), &filled)
            writes[index] = .object(write)
        }
        body["writes"] = .array(writes)
    }

    /// - Parameters:
    ///   - member: the member that has the record, beside `collection`.
    ///   - isNew: false for a record that may replace another one, whose date must not change.
    private func complete(
        _ member: String, of write: inout JSONObject, _ name: String, isNew: Bool, _ filled: inout [String]
    ) {
        guard case .object(var record)? = write[member], let collection = write["collection"]?.string
        else { return }
        if record["$type"] == nil {
            record = JSONObject(
                [JSONObject.Member(name: "$type", value: .string(collection))] + record.members)
            filled.append("\(name)[$type]")
        }
        if isNew, record["createdAt"] == nil, Self.datedCollections.contains(collection) {
            record["createdAt"] = .string(now())
            filled.append("\(name)[createdAt]")
        }
        write[member] = .object(record)
    }

    /// The collections of app.bsky and chat.bsky whose records must have `createdAt`.
    package static let datedCollections: Set<String> = [
        "app.bsky.actor.status", "app.bsky.feed.generator", "app.bsky.feed.like", "app.bsky.feed.post",
        "app.bsky.feed.postgate", "app.bsky.feed.repost", "app.bsky.feed.threadgate", "app.bsky.graph.block",
        "app.bsky.graph.follow", "app.bsky.graph.list", "app.bsky.graph.listblock", "app.bsky.graph.listitem",
        "app.bsky.graph.starterpack", "app.bsky.graph.verification", "app.bsky.labeler.service",
    ]
}
