public import BskyAuthRows
public import FoundationEssentials

/// Gives each call to the next of several stores, as programs on several machines would. A check of it finds a store that keeps
/// something to itself.
public actor RowStoreTurns: RowStore {
    private let stores: [any RowStore]
    private var calls = 0

    /// Stores with the same rows.
    public init(_ stores: [any RowStore]) {
        self.stores = stores
    }

    private var next: any RowStore {
        calls += 1
        return stores[calls % stores.count]
    }

    /// Calls the next store. See `RowStore`.
    public func get(_ key: String) async throws(RowStoreError) -> StoredRow? { try await next.get(key) }

    /// Calls the next store. See `RowStore`.
    @discardableResult
    public func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision? {
        try await next.put(key, value, expiry: expiry, if: condition, durability: durability)
    }

    /// Calls the next store. See `RowStore`.
    @discardableResult
    public func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
        try await next.delete(key, if: condition)
    }

    /// Calls the next store. See `RowStore`.
    public func list(_ prefix: String, after key: String?, limit: Int) async throws(RowStoreError)
        -> [StoredRow]
    {
        try await next.list(prefix, after: key, limit: limit)
    }

    /// Calls the next store. See `RowStore`.
    public func change(of key: String, after revision: Revision?) async throws(RowStoreError) -> StoredRow? {
        try await next.change(of: key, after: revision)
    }

    /// Calls the next store. See `RowStore`.
    public func removeExpired() async throws(RowStoreError) -> Int { try await next.removeExpired() }
}
