internal import ATPCryptography
internal import ATPJSON
public import ATPNetworking
public import BskyAuthRows
public import FoundationEssentials

/// Rows in an etcd cluster, for programs on several machines.
///
/// A revision is etcd's `mod_revision` of the key. Every write is one transaction, and reads are linearizable. etcd compares
/// the values of rows with the time (`RowEnvelope`), so a row that has expired is absent also for conditions.
public struct EtcdRows: RowStore {
    /// So many rows of the longest values fit into one answer.
    private static let page = 32
    /// A line of a stream has the events of some rows.
    private static let longestLine = 64 * 1024 * 1024

    private let gateway: EtcdGateway
    private let prefix: String
    private let now: @Sendable () -> Date

    /// Rows in a cluster. Nothing is sent before the first method.
    ///
    /// - Parameters:
    ///   - cluster: where it is.
    ///   - transport: sends the requests. Its policy must allow the addresses of the nodes.
    ///   - now: tells the time.
    package init(
        _ cluster: EtcdCluster, transport: any HTTPTransport, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        gateway = EtcdGateway(cluster, transport: transport)
        prefix = cluster.prefix + "/"
        self.now = now
    }

    /// Rows in the cluster of a URL. Nothing is sent before the first method.
    ///
    /// - Parameters:
    ///   - url: `etcd://[USER@]NODE[:PORT][,NODE[:PORT]…]/PREFIX`, which uses TLS, or `etcd+http://…` for nodes on this machine.
    ///   - password: the password of the user in the URL.
    ///   - transport: makes what sends the requests, with a policy that allows the addresses of the nodes.
    public init(
        url: String, password: String? = nil, transport: (NetworkPolicy) -> any HTTPTransport
    ) throws(EtcdURLError) {
        let cluster = try EtcdCluster(url: url, password: password.map { SecretBytes(Array($0.utf8)) })
        self.init(cluster, transport: transport(cluster.policy))
    }

    /// Reads a row that has not expired, with all writes that were acknowledged before.
    public func get(_ key: String) async throws(RowStoreError) -> StoredRow? {
        try await read(key).row
    }

    /// Writes a row, which is on the disks of most nodes then. `durability` changes nothing.
    @discardableResult
    public func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision? {
        let put: JSONValue = [
            "request_put": [
                "key": name(key), "value": .base64(RowEnvelope(value: value, expiry: expiry).bytes),
            ]
        ]
        switch condition {
        case .always: return try await transact([], put)
        case .unchanged(let revision): return try await transact([has(key, revision), isLive(key)], put)
        case .absent:
            // One transaction could have both cases, but then it would have the value twice.
            if let revision = try await transact([isMissing(key)], put) { return revision }
            return try await transact([isExpired(key)], put)
        }
    }

    /// Removes a row.
    @discardableResult
    public func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
        var conditions = [isLive(key)]
        switch condition {
        case .absent: return false
        case .always: break
        case .unchanged(let revision): conditions.append(has(key, revision))
        }
        return try await remove(key, if: conditions)
    }

    /// Lists rows by their keys.
    public func list(
        _ prefix: String, after key: String?, limit: Int
    ) async throws(RowStoreError) -> [StoredRow] {
        var rows: [StoredRow] = []
        var last = key
        while rows.count < limit {
            let page = try await stored(prefix, after: last, limit: min(Self.page, limit - rows.count))
            rows += page.rows.filter { $0.isLive(at: now()) }
            last = page.rows.last?.key
            guard page.hasMore, last != nil else { break }
        }
        return rows
    }

    /// Waits until a row is another one than the caller has seen. One request stays open meanwhile.
    public func change(
        of key: String, after revision: Revision?
    ) async throws(RowStoreError) -> StoredRow? {
        while true {
            let (row, moment) = try await read(key)
            if row?.revision != revision { return row }
            if try await !watch(key, from: moment + 1) {
                // The stream has ended without an event, so its node may be ending too.
                do { try await Task.sleep(for: .seconds(1)) } catch { throw .waitCancelled }
            }
        }
    }

    /// Removes some rows that have expired, after a look at all rows.
    ///
    /// - Returns: how many.
    public func removeExpired() async throws(RowStoreError) -> Int {
        var removed = 0
        var last: String?
        while removed < 1000 {
            let page = try await stored("", after: last, limit: Self.page)
            for row in page.rows where !row.isLive(at: now()) {
                if try await remove(row.key, if: [has(row.key, row.revision)]) { removed += 1 }
            }
            last = page.rows.last?.key
            guard page.hasMore, last != nil else { break }
        }
        return removed
    }
}

// MARK: - Reading

extension EtcdRows {
    /// A row that has not expired, and the revision of the whole store at that moment.
    private func read(_ key: String) async throws(RowStoreError) -> (row: StoredRow?, moment: Int64) {
        let answer = try await gateway.read("/v3/kv/range", ["key": name(key)])
        guard let moment = answer["header"]?["revision"]?.decimal else { throw .unreadableAnswer }
        let row = try rows(answer).first
        return (row.flatMap { $0.isLive(at: now()) ? $0 : nil }, moment)
    }

    /// The first rows with a prefix, also those that have expired, and whether there are more.
    private func stored(
        _ prefix: String, after key: String?, limit: Int
    ) async throws(RowStoreError) -> (rows: [StoredRow], hasMore: Bool) {
        let whole = Array((self.prefix + prefix).utf8)
        // The first key after another one is that key with a zero byte.
        let next = key.map { Array((self.prefix + $0).utf8) + [0] } ?? whole
        let begin = next.lexicographicallyPrecedes(whole) ? whole : next
        // Keys are ASCII, so the last byte of a prefix has a next one.
        let end = whole.dropLast() + [whole[whole.count - 1] + 1]
        let answer = try await gateway.read(
            "/v3/kv/range",
            ["key": .base64(begin), "range_end": .base64(Array(end)), "limit": JSONValue(limit)])
        return (try rows(answer), answer["more"] == .bool(true))
    }

    private func rows(_ answer: JSONValue) throws(RowStoreError) -> [StoredRow] {
        var rows: [StoredRow] = []
        for entry in answer["kvs"]?.array ?? [] {
            guard let key = entry["key"]?.bytes, let revision = entry["mod_revision"]?.decimal,
                let value = entry["value"]?.bytes, let envelope = RowEnvelope(value)
            else { throw .unreadableAnswer }
            rows.append(
                StoredRow(
                    key: String(String(decoding: key, as: UTF8.self).dropFirst(prefix.count)),
                    value: envelope.value,
                    revision: Revision(revision), expiry: envelope.expiry))
        }
        return rows
    }

    /// Waits for an event of a key.
    ///
    /// - Returns: false if the stream ended without one, or if its beginning is no longer kept.
    private func watch(_ key: String, from moment: Int64) async throws(RowStoreError) -> Bool {
        let request: JSONValue = [
            "create_request": ["key": name(key), "start_revision": .string(String(moment))]
        ]
        var lines = try await gateway.stream("/v3/watch", request).makeAsyncIterator()
        var unread: [UInt8] = []
        do {
            while let bytes = try await lines.next() {
                unread += bytes
                guard unread.count <= Self.longestLine else { return false }
                while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    let result = try JSONParser.parse(Array(unread[..<end]))["result"]
                    unread.removeSubrange(...end)
                    if result?["events"] != nil { return true }
                    if result?["created"]?.bool != true || result?["canceled"]?.bool == true { return false }
                }
            }
            return false
        } catch {
            if Task.isCancelled { throw .waitCancelled }
            return false
        }
    }
}

// MARK: - Writing

extension EtcdRows {
    private func remove(_ key: String, if conditions: [JSONValue]) async throws(RowStoreError) -> Bool {
        try await transact(conditions, ["request_delete_range": ["key": name(key)]]) != nil
    }

    /// Does one thing if all conditions hold.
    ///
    /// - Returns: the revision of the store after it; nil if a condition did not hold.
    private func transact(
        _ conditions: [JSONValue], _ operation: JSONValue
    ) async throws(RowStoreError) -> Revision? {
        let answer = try await gateway.write(
            "/v3/kv/txn", ["compare": .array(conditions), "success": [operation]])
        guard answer["succeeded"]?.bool == true else { return nil }
        guard let revision = answer["header"]?["revision"]?.decimal else {
            throw RowStoreError("etcd did not say what it wrote", outcome: .unknown, code: .unreadable)
        }
        return Revision(revision)
    }

    private func isMissing(_ key: String) -> JSONValue {
        ["target": "VERSION", "key": name(key), "version": "0"]
    }

    private func has(_ key: String, _ revision: Revision) -> JSONValue {
        ["target": "MOD", "key": name(key), "mod_revision": .string(String(revision.number))]
    }

    private func isLive(_ key: String) -> JSONValue {
        [
            "target": "VALUE", "result": "GREATER", "key": name(key),
            "value": .base64(RowEnvelope.bound(now())),
        ]
    }

    private func isExpired(_ key: String) -> JSONValue {
        ["target": "VALUE", "result": "LESS", "key": name(key), "value": .base64(RowEnvelope.bound(now()))]
    }

    private func name(_ key: String) -> JSONValue { .base64(Array((prefix + key).utf8)) }
}

extension RowStoreError {
    fileprivate static let unreadableAnswer = RowStoreError(
        "etcd has a row that this program can't read", outcome: .notDone, code: .unreadable)
}
