package import ATPJSON
package import ATProtoIdentity
internal import ATProtoLexicons

/// The members that a write to a repository may leave out.
package struct WriteDefaults: Sendable {
    private let repo: DID
    private let now: @Sendable () -> String
    private let lexicons: KnownLexicons

    /// - Parameters:
    ///   - lexicons: say which records need `createdAt`.
    ///   - now: the time for it. It is only asked for if a record needs it.
    package init(
        repo: DID, _ lexicons: KnownLexicons = .compiled, now: @escaping @Sendable () -> String
    ) {
        self.repo = repo
        self.lexicons = lexicons
        self.now = now
    }

    /// Whether the body of a method names the repository as `repo`.
    package static func apply(to nsid: NSID) -> Bool {
        nsid.authority == "com.atproto.repo"
            && ["applyWrites", "createRecord", "deleteRecord", "putRecord"].contains(nsid.name)
    }

    /// What a write of `applyWrites` does. The raw value is its `$type`.
    enum Action: String, CaseIterable {
        case create = "com.atproto.repo.applyWrites#create"
        case update = "com.atproto.repo.applyWrites#update"
        case delete = "com.atproto.repo.applyWrites#delete"
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
        if place.isNew, record["createdAt"] == nil, Self.isDated(collection, lexicons) {
            record["createdAt"] = .string(now())
            filled.append("\(place.name)[createdAt]")
        }
    }

    /// Whether a member of a new record is filled in.
    package static func fills(
        _ member: String, in collection: NSID, _ lexicons: KnownLexicons = .compiled
    ) -> Bool {
        member == "$type" || member == "createdAt" && isDated(collection.description, lexicons)
    }

    /// Whether the records of a collection must have `createdAt`, as the known lexicons say.
    package static func isDated(_ collection: String, _ lexicons: KnownLexicons = .compiled) -> Bool {
        guard let nsid = try? NSID(validating: collection), nsid.description == collection,
            let record = lexicons.record(nsid), let member = record.object["createdAt"], member.isRequired,
            case .string(let type) = member.type
        else { return false }
        return type.format == "datetime"
    }
}

/// A record in the body of a write, or the place where it should be.
struct WrittenRecord {
    /// The object with the record, its collection and its key: the body, or an element of `writes`.
    fileprivate let write: JSONObject
    /// Which of the writes it is; nil for the body.
    fileprivate let index: Int?
    /// False for a record that may replace another one, whose date must not change.
    let isNew: Bool

    private var member: String { index == nil ? "record" : "value" }

    /// The place of the record, as items write it: `record`, `writes[0][value]`.
    var name: String { name(of: member) }

    /// The place of another member of the write: `rkey`, `writes[0][rkey]`.
    func name(of member: String) -> String { index.map { "writes[\($0)][\(member)]" } ?? member }

    var record: JSONValue? { write[member] }
    /// nil if the body names none.
    var collection: String? { write["collection"]?.string }
    var key: JSONValue? { write["rkey"] }

    fileprivate func replacing(_ record: JSONObject) -> JSONObject {
        var write = write
        write[member] = .object(record)
        return write
    }
}

extension JSONObject {
    /// The records in the body of a write. Other methods have none.
    func writtenRecords(of nsid: NSID) -> [WrittenRecord] {
        guard WriteDefaults.apply(to: nsid) else { return [] }
        switch nsid.name {
        case "createRecord": return [WrittenRecord(write: self, index: nil, isNew: true)]
        case "putRecord": return [WrittenRecord(write: self, index: nil, isNew: false)]
        case "applyWrites":
            return (self["writes"]?.array ?? []).enumerated().compactMap { index, write in
                guard let write = write.object, let type = write["$type"]?.string,
                    let action = WriteDefaults.Action(rawValue: type), action != .delete
                else { return nil }
                return WrittenRecord(write: write, index: index, isNew: action == .create)
            }
        default: return []
        }
    }

    /// Changes each record in the body of a write.
    mutating func changeRecords(
        of nsid: NSID, _ change: (inout JSONObject, WrittenRecord) -> Void
    ) {
        var writes = self["writes"]?.array ?? []
        for written in writtenRecords(of: nsid) {
            guard case .object(var record)? = written.record else { continue }
            change(&record, written)
            let write = written.replacing(record)
            guard let index = written.index else {
                self = write
                return
            }
            writes[index] = .object(write)
        }
        if !writes.isEmpty { self["writes"] = .array(writes) }
    }
}
