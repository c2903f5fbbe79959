public import FoundationEssentials

/// One row of a store.
public struct StoredRow: Sendable, Equatable {
    /// The name of the row, unique in the store.
    public let key: String
    /// The content, which the store does not interpret.
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
