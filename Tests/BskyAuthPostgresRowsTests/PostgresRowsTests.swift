#if PostgreSQL
    import BskyAuthPostgresRows
    import BskyAuthRows
    import BskyAuthRowsConformance
    import BskyAuthTestStores
    import Foundation
    import Testing

    @Suite("Rows in PostgreSQL", .timeLimit(.minutes(3))) struct PostgresRowsTests {
        private static let one = Task { try await Postgres.withTable() }
        private static let pooler = Task { try await Pooler.ready(one.value) }

        @Test("keep the rule", arguments: RowStoreCheck.all)
        func keep(_ check: RowStoreCheck) async throws {
            let (clock, postgres) = (CheckClock(), try await Self.one.value)
            try await check.run(postgres.rows(url: postgres.socketURL) { clock.now }, clock)
        }

        @Test("keep the rule on several machines, of which two use pgbouncer", arguments: RowStoreCheck.all)
        func keepTogether(_ check: RowStoreCheck) async throws {
            let (clock, prefix) = (CheckClock(), UUID().uuidString)
            let (postgres, pooler) = (try await Self.one.value, try await Self.pooler.value)
            let stores = try [postgres.url(), pooler.url, pooler.url].map { url in
                try postgres.rows(prefix, url: url) { clock.now }
            }
            try await check.run(RowStoreTurns(stores), clock)
        }

        @Test("expire by the server's clock")
        func serverClock() async throws {
            let rows = try await Self.one.value.rows()
            try await rows.put("old", [1], expiry: Date(timeIntervalSinceNow: -3600), if: .absent)
            try await rows.put("new", [1], expiry: Date(timeIntervalSinceNow: 3600), if: .absent)
            try await rows.put("endless", [1], expiry: .distantFuture, if: .absent)
            #expect(try await rows.list("", after: nil, limit: 9).map(\.key) == ["endless", "new"])
            #expect(try await rows.get("endless")?.expiry == .distantFuture)
            #expect(try await rows.put("old", [2], if: .absent) != nil)
        }

        @Test("have nothing to do with the rows of another prefix")
        func prefixes() async throws {
            let postgres = try await Self.one.value
            let (rows, other) = (try postgres.rows("vault"), try postgres.rows("vault2"))
            try await rows.put("a", [1], expiry: .distantPast, if: .absent)
            try await rows.put("b", [1], if: .absent)
            #expect(try await other.list("", after: nil, limit: 9).isEmpty)
            #expect(try await other.get("b") == nil)
            #expect(try await other.removeExpired() == 0)
            #expect(try await rows.removeExpired() == 1)
        }

        @Test("are listed over many answers")
        func pages() async throws {
            let rows = try await Self.one.value.rows()
            for number in 100..<180 { try await rows.put("\(number)", [], if: .absent) }
            #expect(try await rows.list("", after: nil, limit: 70).map(\.key) == (100..<170).map(String.init))
            #expect(
                try await rows.list("", after: "169", limit: 70).map(\.key) == (170..<180).map(String.init))
        }

        @Test("have one table, also if several machines make it at once")
        func createTable() async throws {
            let postgres = try await Self.one.value
            try await postgres.sql("CREATE DATABASE fresh")
            let stores = try (0..<6).map { _ in try postgres.rows("a", url: postgres.url(database: "fresh")) }
            try await withThrowingTaskGroup { group in
                for store in stores { group.addTask { try await store.createTable() } }
                try await group.waitForAll()
            }
            try await stores[0].checkDurability()
            try await stores[1].put("a", [1], if: .absent)
            #expect(try await stores[2].get("a")?.value == [1])
        }

        @Test("go to the primary of several hosts")
        func primary() async throws {
            let standby = try await Postgres.withTable()
            try await standby.shutDown()
            try standby.becomeStandby()
            try await standby.start()
            let primary = try await Self.one.value

            let only = try standby.rows("a")
            for work in [
                { try await only.checkDurability() }, { _ = try await only.get("a") },
                { try await only.put("a", [1], if: .absent) },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: RowStoreError.self) { try await work() }
                #expect(error?.code == .readOnly)
                #expect(error?.outcome == .notDone)
            }
            let both = try standby.rows(
                "both", url: primary.url(at: "\(standby.addresses[0]),\(primary.addresses[0])"))
            try await both.put("a", [1], if: .absent)
            #expect(try await primary.rows("both").get("a")?.value == [1])

            // No server listens at the first address.
            let lost = try standby.rows(
                url: primary.url(at: "\(LoopbackAddress.random()):1,\(standby.addresses[0])"))
            let error = await #expect(throws: RowStoreError.self) { try await lost.get("a") }
            #expect(error?.code == .unreachable)
        }
    }
#endif
