public import FoundationEssentials

/// Keeps rows of bytes under keys. The server stores everything here but credentials, which are in a vault.
///
/// Every method acts on one row at once, so a store needs no transaction over several keys: SQLite, etcd and PostgreSQL can
/// all keep these rules. Callers that need two rows to agree write the row that others look for first, and check it
/// when they use it.
///
/// - A key is 1 to 512 characters of printable ASCII without spaces. A value has at most 1 MiB.
/// - A row whose expiry has passed is absent for every method.
/// - A write that returned is seen by every reader at once, also by other processes of the same store.
/// - `BskyAuthRowsConformance` checks all of this.
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
}

extension RowStore {
    /// Writes a row durably.
    @discardableResult
    public func put(
        _ key: String, _ value: [UInt8], expiry: Date? = nil, if condition: RowCondition
    ) async throws(RowStoreError) -> Revision? {
        try await put(key, value, expiry: expiry, if: condition, durability: .synced)
    }
}

/// One row of a store.
public struct StoredRow: Sendable, Equatable {
    /// The key.
    public let key: String
    /// The bytes.
    public let value: [UInt8]
    /// The revision. Each write gives the row another one.
    public let revision: Revision
    /// When the row ends by itself.
    public let expiry: Date?

    /// A row, as a store read it.
    public init(key: String, value: [UInt8], revision: Revision, expiry: Date?) {
        self.key = key
        self.value = value
        self.revision = revision
        self.expiry = expiry
    }
}

/// The version of a row. A store never gives the same revision twice to one key, also after the row was deleted.
public struct Revision: Sendable, Hashable {
    /// The store's number.
    public let number: Int64

    /// A revision with the store's number.
    public init(_ number: Int64) {
        self.number = number
    }
}

/// The condition of a write.
public enum RowCondition: Sendable, Hashable {
    /// Nothing: the write always happens.
    case always
    /// There is no row with the key.
    case absent
    /// The row still has this revision.
    case unchanged(Revision)
}

/// The failures that a write survives once its method has returned.
public enum Durability: Sendable, Hashable {
    /// A loss of power.
    case synced
    /// The end of the process. A loss of power may undo it, so it is for rows whose loss costs a retry and no more. The
    /// caller does not wait for the disk.
    case buffered
}

/// Why a store could not do something.
public struct RowStoreError: Error, Sendable, CustomStringConvertible {
    /// The words of the store.
    public let description: String
    /// Whether the write may have happened or may still happen. A caller that meant to spend something treats it as spent.
    public let mayHaveHappened: Bool

    /// An error of a store.
    public init(_ description: String, mayHaveHappened: Bool) {
        self.description = description
        self.mayHaveHappened = mayHaveHappened
    }
}
