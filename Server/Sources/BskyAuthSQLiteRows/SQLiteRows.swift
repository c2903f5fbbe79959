public import BskyAuthRows
internal import BskyAuthServerSupport
public import FoundationEssentials
internal import GRDB

/// Rows in one SQLite file, for a server on one machine. Several processes may use the file at the same time.
///
/// Reads don't wait for writes, because the file is in WAL mode. Writes that wait at the same time share one transaction, and
/// so one fsync.
public final class SQLiteRows: RowStore {
    private let writer: DatabaseQueue
    /// A few connections, so that threads which read at the same time seldom wait for each other.
    private let readers: [DatabaseQueue]
    private let writes: WriteQueue
    private let now: @Sendable () -> Date

    /// Opens the rows in a folder, or makes them.
    ///
    /// - Parameters:
    ///   - folder: a folder of this user that no other user may enter. It is made if it is missing.
    ///   - now: tells the time.
    /// - Throws: `RowStoreError` if others may read the folder or the file, or if the file is no database.
    public convenience init(
        in folder: String, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(RowStoreError) {
        let file = folder + "/rows.sqlite"
        do {
            try PrivateFiles.prepare(folder: folder)
            // SQLite gives the files of the WAL the mode of this file.
            try PrivateFiles.prepare(file: file)
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            configuration.journalMode = .wal
            let writer = try DatabaseQueue(path: file, configuration: configuration)
            try Self.schema.migrate(writer)
            configuration.readonly = true
            let readers = try (0..<4).map { _ in try DatabaseQueue(path: file, configuration: configuration) }
            self.init(writer, readers, now: now)
        } catch let error as PrivateFileError {
            throw RowStoreError(error.description, outcome: .notDone)
        } catch {
            throw RowStoreError("\(file) can't be opened: \(error)", outcome: .notDone)
        }
    }

    private init(
        _ writer: DatabaseQueue, _ readers: [DatabaseQueue], now: @escaping @Sendable () -> Date
    ) {
        self.writer = writer
        self.readers = readers
        self.now = now
        writes = WriteQueue(writer)
    }

    /// AUTOINCREMENT never gives a number twice, also after the row with it was deleted.
    private static var schema: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("rows") { db in
            try db.execute(
                sql: """
                    CREATE TABLE rows (
                        revision INTEGER PRIMARY KEY AUTOINCREMENT,
                        key TEXT NOT NULL UNIQUE COLLATE BINARY,
                        value BLOB NOT NULL,
                        expiry INTEGER
                    );
                    CREATE INDEX expiries ON rows (expiry) WHERE expiry IS NOT NULL;
                    """)
        }
        return migrator
    }

    /// The row with a key. See `RowStore`.
    public func get(_ key: String) async throws(RowStoreError) -> StoredRow? {
        try read { [now = milliseconds] db in try Self.one(db, key, now).map(Self.row) }
    }

    /// Writes a row if the condition holds. See `RowStore`.
    @discardableResult
    public func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision? {
        try await writes.perform(durability) { [now = milliseconds] db in
            guard try Self.holds(condition, of: key, db, now) else { return nil }
            try db.execute(
                sql: "INSERT OR REPLACE INTO rows (key, value, expiry) VALUES (?, ?, ?)",
                arguments: [key, Data(value), expiry.map(Self.milliseconds)])
            return Revision(db.lastInsertedRowID)
        }
    }

    /// Removes a row if the condition holds. See `RowStore`.
    @discardableResult
    public func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
        let removed = try await writes.perform(.synced) { [now = milliseconds] db -> Revision? in
            guard try Self.holds(condition, of: key, db, now), let row = try Self.one(db, key, now) else {
                return nil
            }
            try db.execute(sql: "DELETE FROM rows WHERE key = ?", arguments: [key])
            return Revision(row["revision"])
        }
        return removed != nil
    }

    /// The rows whose key begins with a prefix. See `RowStore`.
    public func list(
        _ prefix: String, after key: String?, limit: Int
    ) async throws(RowStoreError) -> [StoredRow] {
        try read { [now = milliseconds] db in
            // DEL is after every character of a key.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT revision, key, value, expiry FROM rows
                    WHERE key >= :prefix AND key < :end AND key > :after AND (expiry IS NULL OR expiry > :now)
                    ORDER BY key LIMIT :limit
                    """,
                arguments: [
                    "prefix": prefix, "end": prefix + "\u{7f}", "after": key ?? "", "now": now,
                    "limit": limit,
                ]
            ).map(Self.row)
        }
    }

    /// Waits until a row is another one than before. See `RowStore`.
    ///
    /// SQLite tells no other process of a write, so this looks five times a second.
    public func change(
        of key: String, after revision: Revision?
    ) async throws(RowStoreError) -> StoredRow? {
        while true {
            let row = try await get(key)
            if row?.revision != revision { return row }
            do { try await Task.sleep(for: .milliseconds(200)) } catch { throw .waitCancelled }
        }
    }

    /// Removes rows that have expired. See `RowStore`.
    public func removeExpired() async throws(RowStoreError) -> Int {
        let removed = try await writes.perform(.buffered) { [now = milliseconds] db in
            try db.execute(
                sql: """
                    DELETE FROM rows WHERE revision IN (SELECT revision FROM rows WHERE expiry <= ? LIMIT 1000)
                    """, arguments: [now])
            return Revision(Int64(db.changesCount))
        }
        return Int(removed?.number ?? 0)
    }

    /// Copies all rows, as they are at one moment, into a folder from which ``init(in:now:)`` opens them.
    public func copy(into folder: String) async throws(RowStoreError) {
        let file = folder + "/rows.sqlite"
        do {
            try PrivateFiles.prepare(folder: folder)
            try PrivateFiles.prepare(file: file)
            let copy = try DatabaseQueue(path: file)
            try writer.backup(to: copy)
            try copy.close()
        } catch {
            throw RowStoreError("the rows can't be copied to \(file): \(error)", outcome: .notDone)
        }
    }

    // MARK: Statements

    private static func one(_ db: Database, _ key: String, _ now: Int64) throws -> Row? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT revision, key, value, expiry FROM rows
                WHERE key = ? AND (expiry IS NULL OR expiry > ?)
                """)
        return try Row.fetchOne(statement, arguments: [key, now])
    }

    private static func holds(
        _ condition: RowCondition, of key: String, _ db: Database, _ now: Int64
    ) throws -> Bool {
        let revision = try one(db, key, now).map { row in Revision(row["revision"]) }
        return switch condition {
        case .always: true
        case .absent: revision == nil
        case .unchanged(let expected): revision == expected
        }
    }

    private static func row(_ row: Row) -> StoredRow {
        let (value, expiry): (Data, Int64?) = (row["value"], row["expiry"])
        return StoredRow(
            key: row["key"], value: Array(value), revision: Revision(row["revision"]),
            expiry: expiry.map { Date(timeIntervalSince1970: Double($0) / 1000) })
    }

    /// Reads on the caller's thread: a read waits for no write, and changing threads would take longer than it does.
    private func read<Value>(_ work: (Database) throws -> Value) throws(RowStoreError) -> Value {
        // One statement reads one state of the rows, so it needs no transaction.
        do { return try readers[.random(in: readers.indices)].unsafeRead(work) } catch {
            throw RowStoreError("the rows can't be read: \(error)", outcome: .notDone)
        }
    }

    private var milliseconds: Int64 { Self.milliseconds(now()) }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
}
