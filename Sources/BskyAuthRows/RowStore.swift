public import FoundationEssentials

/// Keeps rows of bytes under keys. Several programs, also on several machines, may use one store at the same time.
///
/// Every method acts on one row at once, so a store needs no transaction over several keys: SQLite, etcd and PostgreSQL can
/// all keep these rules. Callers that need two rows to agree write the row that others look for first, and check it
/// when they use it.
///
/// - A key is 1 to 512 characters of printable ASCII without spaces. A value has at most 1 MiB.
/// - A row whose expiry has passed is absent for every method.
/// - A write that returned is seen by every reader at once, also by other programs that use the store.
/// - A method that throws ``RowStoreError`` says whether its write may have happened.
/// - The module `BskyAuthRowsConformance` checks all of this.
public protocol RowStore: Sendable {
    /// The row with a key; nil if there is none.
    func get(_ key: String) async throws(RowStoreError) -> StoredRow?

    /// Writes a row if the condition holds.
    ///
    /// - Parameters:
    ///   - key: the row's key.
    ///   - value: replaces the value that is there.
    ///   - expiry: when the row ends by itself. Nil: never. It replaces the expiry that is there.
    ///   - condition: what must hold for the write to happen.
    ///   - durability: what the write must survive before this returns.
    /// - Returns: the new revision; nil if the condition did not hold, and nothing was written.
    @discardableResult
    func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision?

    /// Removes a row if the condition holds. The removal is durable.
    ///
    /// If several callers delete the same revision, exactly one gets true. One-time codes are spent this way.
    ///
    /// - Returns: whether this call removed a row.
    @discardableResult
    func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool

    /// The rows whose key begins with a prefix, in the order of the bytes of their keys.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the keys.
    ///   - key: lists only rows after this key, for the next page.
    ///   - limit: the most rows to return.
    func list(_ prefix: String, after key: String?, limit: Int) async throws(RowStoreError) -> [StoredRow]

    /// Waits until the row with a key is another one than before.
    ///
    /// It returns at once if that is so already. Writes that follow each other quickly may be told as one. A row that
    /// expires ends no wait.
    ///
    /// - Parameters:
    ///   - key: the row's key.
    ///   - revision: the revision that the caller has seen; nil if it has seen that there is no row.
    /// - Returns: the row that is there now; nil if there is none.
    /// - Throws: `RowStoreError`, also if the task is cancelled. Only that ends a wait for which nothing happens.
    func change(of key: String, after revision: Revision?) async throws(RowStoreError) -> StoredRow?

    /// Removes rows that have expired. Call it from time to time: every method ignores such rows, but they take up space.
    ///
    /// - Returns: how many were removed: at most 1,000, so that no other write waits for long. 0 means that none is left.
    func removeExpired() async throws(RowStoreError) -> Int

    /// Checks that the store keeps what it confirms, as far as it tells about itself.
    ///
    /// - Throws: `RowStoreError` with the code `notDurable` if a crash would lose confirmed writes, and with `notPrepared` if the
    ///   store has no place for rows yet.
    func checkDurability() async throws(RowStoreError)

    /// Makes what the store needs before it can keep rows, such as a table, and does ``checkDurability()``. Several programs may call
    /// it at once.
    ///
    /// - Throws: `RowStoreError` as ``checkDurability()`` does, and if the user of the store may not make what is missing.
    func prepare() async throws(RowStoreError)
}

extension RowStore {
    /// A store that tells nothing about itself is taken as it is.
    public func checkDurability() async throws(RowStoreError) {}

    /// A store that needs nothing is only checked.
    public func prepare() async throws(RowStoreError) { try await checkDurability() }

    /// Writes a row durably.
    @discardableResult
    public func put(
        _ key: String, _ value: [UInt8], expiry: Date? = nil, if condition: RowCondition
    ) async throws(RowStoreError) -> Revision? {
        try await put(key, value, expiry: expiry, if: condition, durability: .synced)
    }
}
