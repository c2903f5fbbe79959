#if PostgreSQL
    import ATPCryptography
    import BskyAuthPostgresRows
    import BskyAuthRows
    import BskyAuthTestServer
    import BskyAuthTestStores
    import Foundation
    import Testing

    @Suite("Servers of PostgreSQL", .timeLimit(.minutes(3))) struct PostgresServerTests {
        private static let shared = Task { try await Postgres.withTable() }

        private func refusal(_ work: () async throws -> Void) async throws -> RowStoreError {
            try #require(await #expect(throws: RowStoreError.self) { try await work() })
        }

        // MARK: Requirements

        @Test("that lose writes are refused, and others are not")
        func durable() async throws {
            let postgres = try await Self.shared.value
            try await postgres.rows().checkDurability()
            try await postgres.sql("CREATE DATABASE empty")
            let empty = try postgres.rows(url: postgres.url(database: "empty"))
            #expect(
                try await refusal { try await empty.checkDurability() }.description.contains("is missing"))
            let careless = try await Postgres.withTable(options: ["fsync=off"])
            let error = try await refusal { try await careless.rows().checkDurability() }
            #expect(error.description.contains("fsync=off"))
        }

        @Test("with an unlogged table are refused")
        func unlogged() async throws {
            let postgres = try await Self.shared.value
            try await postgres.sql("CREATE DATABASE unlogged")
            let rows = try postgres.rows(url: postgres.url(database: "unlogged"))
            try await rows.createTable()
            try await rows.checkDurability()
            try await postgres.sql("ALTER TABLE bskyauth_rows SET UNLOGGED", database: "unlogged")
            #expect(try await refusal { try await rows.checkDurability() }.description.contains("unlogged"))
        }

        @Test("that take no writes are refused, and are read")
        func readOnly() async throws {
            let postgres = try await Self.shared.value
            try await postgres.sql("CREATE DATABASE quiet")
            let url = postgres.url(database: "quiet")
            try await postgres.rows(url: url).createTable()
            try await postgres.rows("a", url: url).put("a", [1], if: .absent)
            try await postgres.sql("ALTER DATABASE quiet SET default_transaction_read_only = on")
            let rows = try postgres.rows("a", url: url)
            #expect(try await rows.get("a")?.value == [1])
            let write = try await refusal { try await rows.put("a", [2], if: .always) }
            #expect(write.code == .readOnly)
            #expect(write.outcome == .notDone)
            #expect(try await refusal { try await rows.checkDurability() }.code == .readOnly)
        }

        // MARK: Users

        @Test("refuse wrong users and passwords, and no password is shown")
        func passwords() async throws {
            let postgres = try await Self.shared.value
            try await postgres.sql("CREATE ROLE guarded LOGIN PASSWORD 'right-secret'")
            let url = postgres.url("guarded")
            #expect(
                try await refusal { _ = try await postgres.rows(url: url).get("a") }.code
                    == .credentialsNeeded)
            let wrong = try await refusal {
                try await postgres.rows(url: url, password: "wrong-secret").put("a", [1], if: .always)
            }
            #expect(wrong.code == .credentialsRefused)
            #expect(wrong.outcome == .notDone)
            #expect(!wrong.description.contains("secret"))
            let denied = try await refusal {
                try await postgres.rows(url: url, password: "right-secret").put("a", [1], if: .always)
            }
            #expect(denied.code == .permissionDenied)
            #expect(denied.outcome == .notDone)
            try await postgres.sql(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON bskyauth_rows TO guarded",
                "GRANT USAGE ON bskyauth_rows_revision TO guarded")
            let rows = try postgres.rows(url: url, password: "right-secret")
            #expect(try await rows.put("a", [1], if: .absent) != nil)
            #expect(try await rows.get("a")?.value == [1])
            #expect(try await rows.delete("a", if: .always))
            #expect(!postgres.log.contains("right-secret") && !postgres.log.contains("wrong-secret"))
        }

        // MARK: TLS

        @Test("get nothing if their certificate is not trusted or has another name")
        func certificates() async throws {
            try await TestCertificates.run { certificates in
                let other = LoopbackAddress.random()
                let postgres = try await Postgres(at: ["127.251.0.1", other], tls: certificates)
                try await postgres.start()
                let trusting = { (file: URL) in "sslmode=verify-full&sslrootcert=\(file.path)" }
                let rows = try postgres.rows(
                    "a", url: postgres.url(options: trusting(certificates.authority)))
                try await rows.createTable()
                try await rows.put("a", [1], if: .absent)
                #expect(
                    postgres.log.contains(
                        "user=postgres database=postgres application_name=bskyauth SSL enabled"))
                for url in [
                    postgres.url("stranger", options: trusting(certificates.otherAuthority)),
                    postgres.url("stranger", at: other, options: trusting(certificates.authority)),
                ] {
                    let error = try await refusal {
                        try await postgres.rows("a", url: url).put("a", [2], if: .always)
                    }
                    #expect(error.code == .untrusted)
                    #expect(error.outcome == .notDone)
                }
                #expect(!postgres.log.contains("stranger"))
            }
        }

        @Test("without TLS get nothing where TLS is needed")
        func plain() async throws {
            let postgres = try await Self.shared.value
            let url = postgres.url(
                "stranger", options: "sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt")
            let error = try await refusal { try await postgres.rows(url: url).put("a", [1], if: .always) }
            #expect(error.code == .untrusted)
            #expect(error.outcome == .notDone)
            #expect(!postgres.log.contains("stranger"))
        }

        // MARK: URLs

        @Test(
            "need TLS with a name, unless they are on this machine",
            arguments: [
                ("postgres://u@db.example/d", true),
                ("postgresql://db.example:5433/d?sslmode=verify-full", true),
                ("postgres://10.0.0.1/d", true), ("postgres://127.0.0.1,db.example/d", true),
                ("postgres://[2001:db8::1]:1/d", true), ("postgres://127.0.0.1.example/d", true),
                ("postgres://127.0.0.1/d?sslmode=verify-full", true), ("postgres://localhost/d", false),
                ("postgres://127.1/d", false), ("postgres://[::1]/d?sslmode=disable", false),
                ("postgres://u@/d?host=/run/postgresql&port=5433", false),
            ])
        func security(_ url: String, needsTLS: Bool) throws {
            #expect(try PostgresServer(url: url).needsTLS == needsTLS)
        }

        @Test(
            "are refused if a URL is weak, unclear or shows a password",
            arguments: [
                ("postgres://db.example/d?sslmode=require", .weakTLS("require")),
                ("postgres://db.example/d?sslmode=verify-ca", .weakTLS("verify-ca")),
                ("postgres://db.example/d?sslmode=disable", .weakTLS("disable")),
                ("postgres://127.0.0.1,db.example/d?sslmode=disable", .weakTLS("disable")),
                ("postgres://127.0.0.1/d?sslmode=prefer", .weakTLS("prefer")),
                ("postgres://db.example/d?sslmode=full", .option("sslmode")),
                ("postgres://db.example/d?sslmode=verify-full&sslmode=disable", .option("sslmode")),
                ("postgres://db.example/d?hostaddr=10.0.0.1", .option("hostaddr")),
                ("postgres://db.example/d?host=/run/postgresql", .option("host")),
                ("postgres://db.example/d?options=-cfsync%3Doff", .option("options")),
                ("postgres://u:secret@db.example/d", .password),
                ("postgres://db.example/d?password=x", .password),
                ("postgres://db.example", .database), ("postgres://db.example/", .database),
                ("postgres:///d", .host("")), ("postgres://@/d?host=run", .host("run")),
                ("postgres://a,,b/d", .host("")), ("postgres://a:0/d", .host("a:0")),
                ("postgres://a%2Fb/d", .host("a%2Fb")), ("postgres://256.1/d", .host("256.1")),
                ("postgres://a/%00", .malformed), ("http://a/d", .malformed),
                ("postgres://a/d#x", .malformed),
            ] as [(String, PostgresURLError)])
        func refused(_ url: String, error: PostgresURLError) {
            #expect(throws: error) { try PostgresServer(url: url) }
        }

        @Test("have all parts of a URL")
        func parts() throws {
            let server = try PostgresServer(
                url: "postgres://a%40b@one.example:1,[::1]:2/d%20e?sslrootcert=/ca%20file")
            #expect(server.user == "a@b")
            #expect(server.database == "d e")
            #expect(server.authorities == "/ca file")
            #expect(server.hosts.map(\.description) == ["one.example:1", "[::1]:2"])
        }
    }
#endif
