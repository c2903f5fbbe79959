#if PostgreSQL
    internal import ATPCryptography
    public import BskyAuthRows
    public import FoundationEssentials

    /// Rows in a table of PostgreSQL, for programs on several machines, also through pgbouncer in transaction mode.
    ///
    /// Each method sends one transaction with one statement, which also compares the condition and the expiry. Nothing is kept in
    /// a session: no prepared statement, no setting, no LISTEN. Revisions come from one sequence. Writes are always durable,
    /// also buffered ones: a write that a crash took back would give its revision to another one.
    public struct PostgresRows: RowStore {
        /// The most rows in one answer, so that it has at most 32 MiB of values.
        private static let page = 32

        let connections: PostgresConnections
        private let prefix: String
        private let now: (@Sendable () -> Date)?

        /// Rows in a table that ``createTable()`` has made. Nothing is sent before the first method.
        ///
        /// - Parameters:
        ///   - server: where the table is.
        ///   - prefix: rows of other prefixes in the table are not seen. It is printable ASCII. Nil: that of the server's URL.
        ///   - now: tells the time to which expiries are compared. Nil: the server's clock, which is the same for all machines.
        package init(
            _ server: PostgresServer, prefix: String? = nil, now: (@Sendable () -> Date)? = nil
        ) {
            connections = PostgresConnections(server)
            self.prefix = prefix ?? server.prefix
            self.now = now
        }

        /// Rows at the server of a URL. Nothing is sent before the first method, and ``prepare()`` makes their table.
        ///
        /// - Parameters:
        ///   - url: `postgres://[USER@]HOST[:PORT][,HOST[:PORT]…]/DATABASE[?prefix=PREFIX]`. A server elsewhere needs TLS with a
        ///     certificate for its name. `schema=SCHEMA` names the schema of the table, which is otherwise the one that has it.
        ///   - password: the password of the user. Nil: the one that libpq finds in the user's password file, or none.
        public init(url: String, password: String? = nil) throws(PostgresURLError) {
            self.init(
                try PostgresServer(url: url, password: password.map { SecretBytes(Array($0.utf8)) }))
        }

        /// Reads a row that has not expired, with all writes that were confirmed before.
        public func get(_ key: String) async throws(RowStoreError) -> StoredRow? {
            try await read([.text(key)]) { schema in
                "SELECT \(Self.columns) FROM \(schema.table) WHERE prefix = $2 AND key = $3 AND \(Self.isLive)"
            }.first
        }

        /// Writes a row, which is on the disk of the server and of its synchronous standbys then. `durability` changes nothing.
        @discardableResult
        public func put(
            _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
        ) async throws(RowStoreError) -> Revision? {
            var parameters =
                [.text(key), .bytes(value), Self.milliseconds(expiry)] as [PostgresStatement.Parameter]
            let statement: @Sendable (PostgresSchema) -> String
            switch condition {
            case .always: statement = Self.insertion
            case .absent: statement = { Self.insertion($0) + " WHERE old.expiry <= \(Self.time)" }
            case .unchanged(let revision):
                parameters.append(.number(revision.number))
                statement = { schema in
                    """
                    UPDATE \(schema.table) SET value = $4, revision = \(schema.nextRevision), expiry = \(Self.expiry)
                    WHERE prefix = $2 AND key = $3 AND revision = $6::bigint AND \(Self.isLive)
                    """
                }
            }
            return try await write(parameters) { statement($0) + " RETURNING revision" }.map(Revision.init)
        }

        /// Removes a row.
        @discardableResult
        public func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
            let statement = { @Sendable (schema: PostgresSchema, and: String) in
                "DELETE FROM \(schema.table) WHERE prefix = $2 AND key = $3 AND \(Self.isLive)\(and) RETURNING revision"
            }
            switch condition {
            case .absent: return false
            case .always: return try await write([.text(key)]) { statement($0, "") } != nil
            case .unchanged(let revision):
                return try await write([.text(key), .number(revision.number)]) {
                    statement($0, " AND revision = $4::bigint")
                } != nil
            }
        }

        /// Lists rows by their keys.
        public func list(
            _ prefix: String, after key: String?, limit: Int
        ) async throws(RowStoreError) -> [StoredRow] {
            var rows: [StoredRow] = []
            while rows.count < limit {
                let size = min(Self.page, limit - rows.count)
                // DEL is after every character of a key.
                let page = try await read([
                    .text(prefix), .text(prefix + "\u{7f}"), .text(rows.last?.key ?? key ?? ""),
                    .number(Int64(size)),
                ]) { schema in
                    """
                    SELECT \(Self.columns) FROM \(schema.table)
                    WHERE prefix = $2 AND key >= $3 AND key < $4 AND key > $5 AND \(Self.isLive)
                    ORDER BY key LIMIT $6::bigint
                    """
                }
                rows += page
                if page.count < size { break }
            }
            return rows
        }

        /// Waits until a row is another one than before. See `RowStore`.
        ///
        /// It looks about once a second. NOTIFY would tell it sooner, but PostgreSQL commits the transactions that notify one after
        /// the other, and pgbouncer in transaction mode does not pass LISTEN on.
        public func change(
            of key: String, after revision: Revision?
        ) async throws(RowStoreError) -> StoredRow? {
            while true {
                let row = try await get(key)
                if row?.revision != revision { return row }
                let pause = Duration.milliseconds(Int.random(in: 800...1200))
                do { try await Task.sleep(for: pause) } catch { throw .waitCancelled }
            }
        }

        /// Removes some rows that have expired.
        public func removeExpired() async throws(RowStoreError) -> Int {
            // Rows that another transaction writes are left to the next call.
            let removed = try await write([]) { schema in
                """
                WITH expired AS (
                    SELECT key FROM \(schema.table) WHERE prefix = $2 AND expiry <= \(Self.time)
                    LIMIT 1000 FOR UPDATE SKIP LOCKED
                ), removed AS (
                    DELETE FROM \(schema.table) AS old USING expired
                    WHERE prefix = $2 AND old.key = expired.key RETURNING 1
                )
                SELECT count(*) FROM removed
                """
            }
            return Int(removed ?? 0)
        }
    }

    // MARK: - Statements

    extension PostgresRows {
        /// The time: the caller's in milliseconds since 1970, or the server's.
        private static let time = "coalesce(to_timestamp($1::float8 / 1000), statement_timestamp())"
        private static let isLive = "(expiry IS NULL OR expiry > \(time))"
        private static let columns = "key, value, revision, (extract(epoch FROM expiry) * 1000)::bigint"
        private static let expiry = "to_timestamp($5::float8 / 1000)"
        /// Writes a row that may be there. A condition on `old`, which is the row that is there, may follow.
        @Sendable private static func insertion(_ schema: PostgresSchema) -> String {
            """
            INSERT INTO \(schema.table) AS old (prefix, key, value, revision, expiry)
            VALUES ($2, $3, $4, \(schema.nextRevision), \(expiry))
            ON CONFLICT (prefix, key) DO UPDATE
            SET value = excluded.value, revision = \(schema.nextRevision), expiry = excluded.expiry
            """
        }

        /// Parameter 1 is the time and 2 the prefix.
        private func statement(
            _ parameters: [PostgresStatement.Parameter],
            _ text: @escaping @Sendable (PostgresSchema) -> String
        ) -> PostgresStatement {
            PostgresStatement([Self.milliseconds(now?()), .text(prefix)] + parameters, text)
        }

        private func read(
            _ parameters: [PostgresStatement.Parameter],
            _ text: @escaping @Sendable (PostgresSchema) -> String
        ) async throws(RowStoreError) -> [StoredRow] {
            var rows: [StoredRow] = []
            for row in try await connections.transact([statement(parameters, text)], for: .reading) {
                guard let key = row.text(0), let value = row.bytes(1), let revision = row.number(2) else {
                    throw RowStoreError(
                        "PostgreSQL has a row that this program can't read", outcome: .notDone,
                        code: .unreadable)
                }
                let expiry = row.number(3).map { Date(timeIntervalSince1970: Double($0) / 1000) }
                rows.append(StoredRow(key: key, value: value, revision: Revision(revision), expiry: expiry))
            }
            return rows
        }

        /// Writes, and returns the number in the first row of the result; nil for no row.
        private func write(
            _ parameters: [PostgresStatement.Parameter],
            _ text: @escaping @Sendable (PostgresSchema) -> String
        ) async throws(RowStoreError) -> Int64? {
            guard let row = try await connections.transact([statement(parameters, text)], for: .writing).first
            else { return nil }
            guard let number = row.number(0) else {
                throw RowStoreError(
                    "PostgreSQL did not say what it wrote", outcome: .unknown, code: .unreadable)
            }
            return number
        }

        private static func milliseconds(_ date: Date?) -> PostgresStatement.Parameter {
            guard let date else { return .null }
            // PostgreSQL knows the years until 294276.
            let farthest = 9e15
            return .number(Int64((date.timeIntervalSince1970 * 1000).rounded().clamped(-6e13, farthest)))
        }
    }

    extension Double {
        fileprivate func clamped(_ least: Double, _ most: Double) -> Double {
            Swift.min(Swift.max(self, least), most)
        }
    }
#endif
