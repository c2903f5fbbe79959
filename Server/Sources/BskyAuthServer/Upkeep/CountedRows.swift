internal import BskyAuthRows
internal import FoundationEssentials

/// Counts the operations on a store.
struct CountedRows: RowStore {
    /// The operations that are counted. A wait for a change is not.
    enum Operation: String, CaseIterable {
        case get, put, delete, list
        case removeExpired = "remove_expired"
    }

    let rows: any RowStore
    /// Which store it is, in the metrics.
    let name: String
    let metrics: Metrics

    func get(_ key: String) async throws(RowStoreError) -> StoredRow? {
        try await counted(.get) { () async throws(RowStoreError) in try await rows.get(key) }
    }

    func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision? {
        try await counted(.put) { () async throws(RowStoreError) in
            try await rows.put(key, value, expiry: expiry, if: condition, durability: durability)
        }
    }

    func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
        try await counted(.delete) { () async throws(RowStoreError) in
            try await rows.delete(key, if: condition)
        }
    }

    func list(
        _ prefix: String, after key: String?, limit: Int
    ) async throws(RowStoreError) -> [StoredRow] {
        try await counted(.list) { () async throws(RowStoreError) in
            try await rows.list(prefix, after: key, limit: limit)
        }
    }

    func change(of key: String, after revision: Revision?) async throws(RowStoreError) -> StoredRow? {
        try await rows.change(of: key, after: revision)
    }

    func removeExpired() async throws(RowStoreError) -> Int {
        try await counted(.removeExpired) { () async throws(RowStoreError) in try await rows.removeExpired() }
    }

    func checkDurability() async throws(RowStoreError) { try await rows.checkDurability() }

    func prepare() async throws(RowStoreError) { try await rows.prepare() }

    private func counted<Value>(
        _ operation: Operation, _ work: () async throws(RowStoreError) -> Value
    ) async throws(RowStoreError) -> Value {
        do {
            let value = try await work()
            count(operation, "done")
            return value
        } catch {
            // The request that asked for it has ended, which says nothing about the store.
            if error.code != .cancelled { count(operation, "failed") }
            throw error
        }
    }

    private func count(_ operation: Operation, _ result: String) {
        metrics.add(
            to: .storeOperations, [("store", name), ("operation", operation.rawValue), ("result", result)])
    }
}
