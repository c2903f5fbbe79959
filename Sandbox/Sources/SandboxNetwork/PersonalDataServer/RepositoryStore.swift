import Foundation
import NIOCore

/// Records and blobs of all accounts, in memory.
actor RepositoryStore {
    struct Record: Sendable {
        let did: String
        let collection: String
        let key: String
        let value: JSONValue
        let cid: String
        let indexed: Date

        var uri: String { "at://\(did)/\(collection)/\(key)" }
    }

    struct Blob: Sendable {
        let cid: String
        let mediaType: String
        let size: Int
        let content: [ByteBuffer]
    }

    private let clock: SandboxClock
    /// By DID, collection, record key.
    private var records: [String: [String: [String: Record]]] = [:]
    private var blobs: [String: [String: Blob]] = [:]
    private var lastStamp: Int64 = 0

    init(clock: SandboxClock) {
        self.clock = clock
    }

    /// A timestamp identifier: 13 characters, later ones sort behind earlier ones (TID specification).
    func nextKey() -> String {
        let micros = Int64(clock.now.timeIntervalSince1970 * 1_000_000)
        lastStamp = max(lastStamp + 1, micros)
        let digits = Array("234567abcdefghijklmnopqrstuvwxyz")
        var number = UInt64(lastStamp) << 10
        var text: [Character] = []
        for _ in 0..<13 {
            text.append(digits[Int(number & 31)])
            number >>= 5
        }
        return String(text.reversed())
    }

    /// Stores a record under its key and replaces an older one.
    func put(_ value: JSONValue, did: String, collection: String, key: String) -> Record {
        let record = Record(
            did: did, collection: collection, key: key, value: value,
            cid: ContentIdentifier.record(value), indexed: clock.now)
        records[did, default: [:]][collection, default: [:]][key] = record
        return record
    }

    func record(did: String, collection: String, key: String) -> Record? {
        records[did]?[collection]?[key]
    }

    func delete(did: String, collection: String, key: String) {
        records[did]?[collection]?[key] = nil
        if records[did]?[collection]?.isEmpty == true { records[did]?[collection] = nil }
    }

    func collections(of did: String) -> [String] {
        (records[did] ?? [:]).keys.sorted()
    }

    /// A page of one collection, newest key first unless reversed, and the cursor of the next page.
    func page(did: String, collection: String, limit: Int, cursor: String?, reverse: Bool) -> (
        records: [Record], cursor: String?
    ) {
        let all = (records[did]?[collection] ?? [:]).values.sorted { ($0.key < $1.key) == reverse }
        return Self.page(of: all, limit: limit, cursor: cursor, key: \.key, ascending: reverse)
    }

    /// A page of every account's posts, newest first.
    func timeline(limit: Int, cursor: String?) -> (records: [Record], cursor: String?) {
        let posts = records.values.flatMap { ($0["app.bsky.feed.post"] ?? [:]).values }
        let sorted = posts.sorted { ($0.key, $0.did) > ($1.key, $1.did) }
        return Self.page(of: sorted, limit: limit, cursor: cursor, key: \.key, ascending: false)
    }

    func countOfPosts(by did: String) -> Int {
        records[did]?["app.bsky.feed.post"]?.count ?? 0
    }

    func keep(_ blob: Blob, of did: String) {
        blobs[did, default: [:]][blob.cid] = blob
    }

    func blob(_ cid: String, of did: String) -> Blob? {
        blobs[did]?[cid]
    }

    private static func page(
        of sorted: [Record],
        limit: Int,
        cursor: String?,
        key: (Record) -> String,
        ascending: Bool
    ) -> (records: [Record], cursor: String?) {
        let rest = sorted.filter { record in
            guard let cursor else { return true }
            return ascending ? key(record) > cursor : key(record) < cursor
        }
        let page = Array(rest.prefix(limit))
        return (page, rest.count > limit ? page.last.map(key) : nil)
    }
}
