#if PostgreSQL
    import BskyAuthPostgresRows
    import BskyAuthRows
    import BskyAuthTestStores
    import Foundation
    import Testing

    /// Which table has the rows. No setting of the user, the database or the environment may choose another one.
    @Suite("The place of rows in PostgreSQL", .timeLimit(.minutes(3))) struct PostgresPlaceTests {
        private static let shared = Task {
            let postgres = try await Postgres()
            try await postgres.start()
            return postgres
        }

        /// A database of its own.
        private func database(_ name: String, _ statements: String...) async throws -> Postgres {
            let postgres = try await Self.shared.value
            try await postgres.sql("CREATE DATABASE \(name)")
            for statement in statements { try await postgres.sql(statement, database: name) }
            return postgres
        }

        private func rows(
            _ postgres: Postgres, _ database: String, _ user: String = "postgres", _ options: String = ""
        ) throws -> PostgresRows {
            try postgres.rows("a", url: postgres.url(user, database: database, options: options))
        }

        private func refusal(_ work: () async throws -> Void) async throws -> RowStoreError {
            try #require(await #expect(throws: RowStoreError.self) { try await work() })
        }

        private func tables(_ postgres: Postgres, _ database: String) async throws -> String {
            try await postgres.sql(
                "SELECT string_agg(relnamespace::regnamespace::text, ' ' ORDER BY 1) FROM pg_class WHERE relname = 'bskyauth_rows'",
                database: database)
        }

        @Test(
            "is the same after a change of the search_path",
            arguments: ["other", "other, public", "public, other", "pg_temp, other", "nowhere"])
        func searchPath(_ path: String) async throws {
            let name = "path\(UUID().uuidString.prefix(8).lowercased())"
            let postgres = try await database(name, "CREATE SCHEMA other")
            try await rows(postgres, name).prepare()
            try await rows(postgres, name).put("key", [1], if: .absent)
            try await postgres.sql("ALTER DATABASE \(name) SET search_path = \(path)")
            let later = try rows(postgres, name)
            try await later.prepare()
            #expect(try await later.get("key")?.value == [1])
            #expect(try await later.put("key", [2], if: .absent) == nil)
            #expect(try await tables(postgres, name) == "public\n")
        }

        @Test("is the schema that has the table, whatever its name is", arguments: ["app", #"A "b"'c\d é"#])
        func elsewhere(_ schema: String) async throws {
            let name = "else\(UUID().uuidString.prefix(8).lowercased())"
            let quoted = "\"\(schema.replacing("\"", with: "\"\""))\""
            let postgres = try await database(name, "CREATE SCHEMA \(quoted)")
            try await rows(postgres, name).prepare()
            for object in ["TABLE bskyauth_rows", "SEQUENCE bskyauth_rows_revision"] {
                try await postgres.sql("ALTER \(object) SET SCHEMA \(quoted)", database: name)
            }
            let rows = try rows(postgres, name)
            try await rows.prepare()
            let first = try #require(try await rows.put("key", [1], if: .absent))
            #expect(try await rows.put("key", [2], if: .unchanged(first)) != nil)
            #expect(try await rows.list("", after: nil, limit: 9).map(\.key) == ["key"])
            #expect(try await rows.removeExpired() == 0)
            #expect(try await rows.delete("key", if: .always))
            let present = try await tables(postgres, name)
            #expect(!present.contains("public"))
        }

        @Test("is refused if two schemas have the table, and chosen by the URL")
        func ambiguous() async throws {
            let postgres = try await database(
                "two", "CREATE SCHEMA other", "CREATE TABLE other.bskyauth_rows (x int)")
            // The table of another program is there first, so that ours has to be made by hand.
            let made = try await refusal {
                try await rows(postgres, "two", "postgres", "schema=public").createTable()
            }
            #expect(made.code == .unclearPlace && made.outcome == .notDone)
            #expect(made.description.contains("schema other already"), "\(made)")
            #expect(try await tables(postgres, "two") == "other\n")
            try await postgres.sql("ALTER TABLE other.bskyauth_rows RENAME TO hidden", database: "two")
            try await rows(postgres, "two", "postgres", "schema=public").prepare()
            try await postgres.sql("ALTER TABLE other.hidden RENAME TO bskyauth_rows", database: "two")

            let unnamed = try rows(postgres, "two")
            for work in [
                { _ = try await unnamed.get("key") }, { try await unnamed.put("key", [1], if: .absent) },
                { try await unnamed.prepare() },
            ] as [() async throws -> Void] {
                let error = try await refusal(work)
                #expect(error.code == .unclearPlace && error.outcome == .notDone)
                #expect(error.description.contains("(other, public)"), "\(error)")
            }
            let named = try rows(postgres, "two", "postgres", "schema=public")
            try await named.checkDurability()
            #expect(try await named.put("key", [1], if: .absent) != nil)
            // A table in a schema that is closed to the user is not meant.
            try await postgres.sql(
                "CREATE ROLE narrow LOGIN", "GRANT SELECT, INSERT, UPDATE, DELETE ON bskyauth_rows TO narrow",
                "GRANT USAGE ON bskyauth_rows_revision TO narrow", database: "two")
            #expect(try await rows(postgres, "two", "narrow").get("key")?.value == [1])
        }

        @Test("must exist, and is not made")
        func missing() async throws {
            let postgres = try await database("nothing")
            let error = try await refusal {
                try await rows(postgres, "nothing", "postgres", "schema=absent").prepare()
            }
            #expect(error.code == .unclearPlace && error.outcome == .notDone, "\(error)")
            #expect(try await tables(postgres, "nothing") == "\n")
        }

        @Test(
            "has a name that PostgreSQL takes whole",
            arguments: ["", "pg_catalog", String(repeating: "x", count: 64)])
        func names(_ name: String) {
            #expect(throws: PostgresURLError.option("schema")) {
                try PostgresServer(url: "postgres://u@127.0.0.1/d?schema=\(name)")
            }
        }
    }
#endif
