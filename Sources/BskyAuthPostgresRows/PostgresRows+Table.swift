#if PostgreSQL
    public import BskyAuthRows

    extension PostgresRows {
        /// Makes the table of the rows where it is missing, and checks the server: see ``checkDurability()``.
        ///
        /// The user needs the right CREATE in its schema only if the table is missing. The schema is `public`, or that of the URL.
        public func prepare() async throws(RowStoreError) {
            do { return try await checkDurability() } catch {
                guard error.code == .notPrepared else { throw error }
            }
            try await createTable()
            try await checkDurability()
        }

        /// Makes the table, its index and the sequence of revisions where they are missing. Several machines may call it at once.
        ///
        /// The user needs the right CREATE in the schema. Others who use the rows need SELECT, INSERT, UPDATE and DELETE on the
        /// table and USAGE on the sequence.
        ///
        /// - Throws: `RowStoreError` with the code `unclearPlace` if another schema has such a table, because the same rows would
        ///   have two places, or if there is no such schema.
        package func createTable() async throws(RowStoreError) {
            _ = try await connections.transact(
                [
                    // IF NOT EXISTS alone fails if two transactions make a table at once. The number is this program's own.
                    PostgresStatement("SELECT pg_advisory_xact_lock(7310583246102558817)"),
                    PostgresStatement { $0.aloneCheck },
                    PostgresStatement { "CREATE SEQUENCE IF NOT EXISTS \($0.sequence) AS bigint" },
                    PostgresStatement {
                        """
                        CREATE TABLE IF NOT EXISTS \($0.table) (
                            prefix text COLLATE "C" NOT NULL,
                            key text COLLATE "C" NOT NULL,
                            value bytea NOT NULL,
                            revision bigint NOT NULL,
                            expiry timestamptz,
                            PRIMARY KEY (prefix, key)
                        )
                        """
                    },
                    PostgresStatement {
                        """
                        CREATE INDEX IF NOT EXISTS bskyauth_rows_expiry ON \($0.table) (prefix, expiry)
                        WHERE expiry IS NOT NULL
                        """
                    },
                ], for: .writing)
        }

        /// Checks that the server keeps what it has confirmed.
        ///
        /// - Throws: `RowStoreError` if the server is a standby or takes no writes (`readOnly`), if it runs with `fsync=off` or the
        ///   table or the sequence is unlogged (`notDurable`), if one of them is missing (`notPrepared`), or if several schemas have
        ///   such a table (`unclearPlace`).
        public func checkDurability() async throws(RowStoreError) {
            let rows = try await connections.transact(
                [
                    PostgresStatement { schema in
                        let persistence = { (name: String) in
                            """
                            coalesce((SELECT relpersistence::text FROM pg_catalog.pg_class
                                WHERE oid = to_regclass(\(PostgresSchema.literal(name)))), '')
                            """
                        }
                        return """
                            SELECT current_setting('fsync'), current_setting('transaction_read_only'),
                                \(persistence(schema.table)), \(persistence(schema.sequence))
                            """
                    }
                ], for: .reading)
            guard let row = rows.first, let fsync = row.text(0), let isReadOnly = row.text(1) else {
                throw RowStoreError(
                    "PostgreSQL did not say how it runs", outcome: .notDone, code: .unreadable)
            }
            if isReadOnly != "off" {
                throw RowStoreError(
                    "PostgreSQL takes no writes: default_transaction_read_only is on", outcome: .notDone,
                    code: .readOnly)
            }
            if fsync != "on" {
                throw RowStoreError(
                    "PostgreSQL runs with fsync=off, so a crash of its machine loses writes",
                    outcome: .notDone, code: .notDurable)
            }
            for (name, persistence) in [
                ("table bskyauth_rows", row.text(2)), ("sequence bskyauth_rows_revision", row.text(3)),
            ] where persistence != "p" {
                let isMissing = persistence == ""
                let what = isMissing ? "is missing" : "is unlogged, so a crash empties it"
                throw RowStoreError(
                    "PostgreSQL: the \(name) \(what)", outcome: .notDone,
                    code: isMissing ? .notPrepared : .notDurable)
            }
        }
    }
#endif
