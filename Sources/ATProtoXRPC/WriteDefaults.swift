package import ATPJSON
package import ATProtoIdentity
internal import ATProtoLexicons

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
        body.changeRecords(of: nsid) { record, place in complete(&record, place, &filled) }
        return (body, filled)
    }

    private func complete(_ record: inout JSONObject, _ place: WrittenRecord, _ filled: inout [String]) {
        guard let collection = place.collection else { return }
        if record["$type"] == nil {
            record = JSONObject(
                [JSONObject.Member(name: "$type", value: .string(collection))] + record.members)
            filled.append("\(place.name)[$type]")
        }
        if place.isNew, record["createdAt"] == nil, Self.isDated(collection) {
            record["createdAt"] = .string(now())
            filled.append("\(place.name)[createdAt]")
        }
    }

    /// Whether a member of a new record is filled in.
    package static func fills(_ member: String, in collection: NSID) -> Bool {
        member == "$type" || member == "createdAt" && isDated(collection.description)
    }

    /// Whether the records of a collection must have `createdAt`, as the lexicons of `CompiledLexicons.owners` say.
    package static func isDated(_ collection: String) -> Bool {
        guard let nsid = try? NSID(validating: collection), CompiledLexicons.isOwned(nsid),
            case .record(let record)? = CompiledLexicons.main(of: nsid),
            let member = record.object["createdAt"], member.isRequired, case .string(let type) = member.type
        else { return false }
        return type.format == "datetime"
    }
}

/// Where a record is in the body of a write.
struct WrittenRecord {
    /// The place, as items write it: `record`, `writes[0][value]`.
    let name: String
    /// The collection; nil if the body names none.
    let collection: String?
    /// False for a record that may replace another one, whose date must not change.
    let isNew: Bool
}

extension JSONObject {
    /// Changes each record in the body of a write. Other methods have none.
    mutating func changeRecords(of nsid: NSID, _ change: (inout JSONObject, WrittenRecord) -> Void) {
        guard WriteDefaults.apply(to: nsid) else { return }
        switch nsid.name {
        case "createRecord", "putRecord":
            changeRecord("record", named: "record", isNew: nsid.name == "createRecord", change)
        case "applyWrites":
            guard case .array(var writes)? = self["writes"] else { return }
            for (index, write) in writes.enumerated() {
                guard case .object(var write) = write, let kind = write["$type"]?.string,
                    ["create", "update"].contains(where: { kind == "com.atproto.repo.applyWrites#\($0)" })
                else { continue }
                write.changeRecord(
                    "value", named: "writes[\(index)][value]", isNew: kind.hasSuffix("#create"), change)
                writes[index] = .object(write)
            }
            self["writes"] = .array(writes)
        default: break
        }
    }

    private mutating func changeRecord(
        _ member: String, named name: String, isNew: Bool, _ change: (inout JSONObject, WrittenRecord) -> Void
    ) {
        guard case .object(var record)? = self[member] else { return }
        change(&record, WrittenRecord(name: name, collection: self["collection"]?.string, isNew: isNew))
        self[member] = .object(record)
    }
}
