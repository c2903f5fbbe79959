#if PostgreSQL
    import BskyAuthPostgresRows
    import BskyAuthRows
    import BskyAuthTestStores
    import Foundation
    import Testing

    @Suite("Rows in a PostgreSQL that fails", .timeLimit(.minutes(3))) struct PostgresFailureTests {
        private static let shared = Task {
            let postgres = try await Postgres.withTable()
            // The prefix of a row says what happens to it, and its key with which SQLSTATE.
            try await postgres.sql(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = NEW.key; END $$
                """,
                """
                CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE WARNING 'warned' USING ERRCODE = NEW.key; RETURN NEW; END $$
                """,
                """
                CREATE FUNCTION finish() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$
                """,
                trigger("statement", "refuse"), trigger("warning", "warn"), trigger("end", "finish"),
                """
                CREATE CONSTRAINT TRIGGER commits AFTER INSERT ON bskyauth_rows DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.prefix = 'commit') EXECUTE FUNCTION refuse()
                """,
                """
                CREATE CONSTRAINT TRIGGER ends_at_commit AFTER INSERT ON bskyauth_rows DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.prefix = 'end at commit') EXECUTE FUNCTION finish()
                """)
            return postgres
        }

        private static func trigger(_ prefix: String, _ function: String) -> String {
            """
            CREATE TRIGGER \(prefix)s BEFORE INSERT ON bskyauth_rows
            FOR EACH ROW WHEN (NEW.prefix = '\(prefix)') EXECUTE FUNCTION \(function)()
            """
        }

        struct Report: Sendable, CustomTestStringConvertible {
            let place: String
            let state: String
            let outcome: RowStoreError.Outcome
            let code: RowStoreError.Code

            init(
                _ place: String, _ state: String, _ outcome: RowStoreError.Outcome, _ code: RowStoreError.Code
            ) {
                (self.place, self.state, self.outcome, self.code) = (place, state, outcome, code)
            }

            var testDescription: String { "\(place) \(state)" }
        }

        @Test(
            "tell by the SQLSTATE what became of a write",
            arguments: [
                Report("statement", "40001", .notDone, .failed),
                Report("statement", "25006", .notDone, .readOnly),
                Report("statement", "53100", .notDone, .noSpace),
                Report("statement", "42501", .notDone, .permissionDenied),
                Report("statement", "57014", .notDone, .timedOut),
                Report("statement", "08006", .unknown, .unreachable),
                Report("commit", "40001", .notDone, .failed), Report("commit", "23505", .notDone, .failed),
                Report("commit", "40003", .unknown, .failed), Report("commit", "53100", .unknown, .noSpace),
                Report("end", "57P01", .unknown, .unreachable),
                Report("end at commit", "57P01", .unknown, .unreachable),
                Report("warning", "01000", .unknown, .failed),
            ])
        func states(_ report: Report) async throws {
            let rows = try await Self.shared.value.rows(report.place)
            let error = await #expect(throws: RowStoreError.self) {
                try await rows.put(report.state, [1], if: .absent)
            }
            #expect(error?.outcome == report.outcome)
            #expect(error?.code == report.code, "\(error?.description ?? "")")
            // The next call has a new connection.
            #expect(try await rows.get(report.state)?.value == (report.place == "warning" ? [1] : nil))
        }

        @Test("the outcome of a write without an answer is unknown, and a condition settles it")
        func stopped() async throws {
            let postgres = try await Postgres.withTable()
            let rows = try postgres.rows("a", timeLimit: .seconds(2))
            #expect(try await rows.get("claim") == nil)
            try await postgres.stop()
            let sent = await #expect(throws: RowStoreError.self) {
                try await rows.put("claim", [1], if: .absent)
            }
            #expect(sent?.outcome == .unknown)
            #expect(sent?.code == .timedOut)
            // Nothing is sent before the server has answered the login.
            let unsent = await #expect(throws: RowStoreError.self) {
                try await postgres.rows("a", timeLimit: .seconds(2)).put("claim", [3], if: .absent)
            }
            #expect(unsent?.outcome == .notDone)
            #expect(unsent?.code == .timedOut)
            // Calls that wait for a connection end too.
            let ends = await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { (try? await rows.put("claim", [4], if: .always)) == nil }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(ends == 20)
            try postgres.goOn()
            let second = try await postgres.rows("a").put("claim", [2], if: .absent)
            #expect(try await postgres.rows("a").get("claim")?.value == (second == nil ? [1] : [2]))
        }

        @Test(
            "no confirmed write is lost if the server is killed, also if commits are not synchronous by default"
        )
        func killed() async throws {
            // Without a setting of its own, a write would not be on the disk for ten seconds.
            let postgres = try await Postgres.withTable(options: ["wal_writer_delay=10s"])
            try await postgres.sql("ALTER DATABASE postgres SET synchronous_commit = off")
            let rows = try postgres.rows("a")
            let first = try #require(try await rows.put("counter", [0, 0], if: .absent))
            let (confirmations, confirm) = AsyncStream.makeStream(of: Void.self)
            let writer = Task {
                var (count, revision) = (UInt16(0), first)
                while true {
                    do throws(RowStoreError) {
                        let next = [UInt8((count + 1) >> 8), UInt8((count + 1) & 255)]
                        guard let new = try await rows.put("counter", next, if: .unchanged(revision)) else {
                            throw RowStoreError("the condition did not hold", outcome: .notDone)
                        }
                        (count, revision) = (count + 1, new)
                        confirm.yield()
                    } catch {
                        return (count, revision, error)
                    }
                }
            }
            var seen = 0
            for await _ in confirmations {
                seen += 1
                if seen == 50 { break }
            }
            try await postgres.kill9()
            let (count, revision, error) = await writer.value
            #expect(error.code == .unreachable)
            try await postgres.start()
            let row = try #require(try await postgres.rows("a").get("counter"))
            let found = UInt16(row.value[0]) << 8 | UInt16(row.value[1])
            #expect(found == count || (error.outcome == .unknown && found == count + 1))
            #expect(found != count || row.revision == revision)
            // The same store connects again, and no revision comes twice.
            let next = try #require(try await rows.put("counter", [9, 9], if: .unchanged(row.revision)))
            #expect(next.number > row.revision.number)
        }

        @Test("a lost server behind pgbouncer leaves the outcome of a write open")
        func killedBehindPooler() async throws {
            let postgres = try await Postgres.withTable()
            let pooler = try await Pooler.ready(postgres)
            let rows = try postgres.rows("a", url: pooler.url)
            let direct = try postgres.rows("a")
            let first = try #require(try await direct.put("a", [1], if: .absent))
            // A write that sleeps is in the server when it is killed.
            try await postgres.sql(
                """
                CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$
                """,
                """
                CREATE TRIGGER lingers BEFORE UPDATE ON bskyauth_rows FOR EACH ROW EXECUTE FUNCTION linger()
                """)
            let write = Task { try await rows.put("a", [2], if: .unchanged(first)) }
            while try await postgres.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                != "1\n"
            { try await Task.sleep(for: .milliseconds(10)) }
            try await postgres.kill9()
            let error = await #expect(throws: RowStoreError.self) { try await write.value }
            #expect(error?.outcome == .unknown)
            #expect(error?.code == .unreachable)
            try await postgres.start()
            #expect(try await direct.get("a")?.value == [1])
        }

        @Test("a write that waits too long for another transaction ends, and is not done later")
        func locked() async throws {
            let postgres = try await Self.shared.value
            let rows = try postgres.rows("locked", timeLimit: .seconds(2))
            let first = try #require(try await rows.put("a", [1], if: .absent))
            let other = Task {
                try await postgres.sql(
                    """
                    BEGIN; SELECT 1 FROM bskyauth_rows WHERE prefix = 'locked' FOR UPDATE;
                    SELECT pg_advisory_lock(42); SELECT pg_sleep(600)
                    """)
            }
            while try await postgres.sql(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42")
                != "1\n"
            { try await Task.sleep(for: .milliseconds(10)) }
            let error = await #expect(throws: RowStoreError.self) {
                try await rows.put("a", [2], if: .unchanged(first))
            }
            #expect(error?.code == .timedOut)
            // A read waits for no lock.
            #expect(try await rows.get("a")?.revision == first)
            try await postgres.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42")
            await #expect(throws: ServerFolder.Failed.self) { _ = try await other.value }
            #expect(try await postgres.rows("locked").put("a", [3], if: .unchanged(first)) != nil)
        }

        @Test("a server that was started again is found, and nothing is unknown")
        func restarted() async throws {
            let postgres = try await Postgres.withTable()
            let rows = try postgres.rows()
            try await rows.put("a", [1], if: .absent)
            try await postgres.shutDown()
            let error = await #expect(throws: RowStoreError.self) {
                try await rows.put("a", [2], if: .always)
            }
            #expect(error?.outcome == .notDone)
            #expect(error?.code == .unreachable)
            try await postgres.start()
            #expect(try await rows.put("a", [3], if: .always) != nil)
        }
    }
#endif
