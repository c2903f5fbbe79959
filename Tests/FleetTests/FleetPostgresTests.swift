import BskyAuthEndToEnd
import BskyAuthTestPrograms
import BskyAuthTestStores
import Foundation
import Testing

/// What only PostgreSQL can do to a fleet.
@Suite("A fleet with PostgreSQL", .serialized, .enabled(if: FleetStore.isPostgres), .timeLimit(.minutes(10)))
struct FleetPostgresTests {
    /// A server with a standby that runs, and the URL of both.
    private func pair() async throws -> (primary: Postgres, standby: Postgres, url: String) {
        let primary = try await Postgres()
        try await primary.start()
        let standby = try await primary.standby()
        try await standby.start()
        let hosts = "\(primary.addresses[0]),\(standby.addresses[0])"
        return (primary, standby, primary.url(at: hosts, options: "prefix=bots"))
    }

    @Test("loses nothing when a synchronous standby takes over in the middle of a refresh")
    func synchronous() async throws {
        let (primary, standby, url) = try await pair()
        try await primary.waitForStandby()
        let fleet = try await Fleet(store: .postgres(primary), url: url)
        let second = try await fleet.machine("second")
        try await fleet.sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"},"action":{"delay":"3s","when":"after"}}]"#)
        let running = try second.start("refresh", "--force", "alice.test")
        try await fleet.sandbox.waitForRequest { $0.isRefresh && $0.consumed }
        try await primary.kill9()
        try await standby.promote()
        let result = try await running.result()
        #expect(result.status == 0, "\(result.errors)")
        try await fleet.sandbox.setFaults("[]")
        try await second.succeed("vault", "flush")
        let adopted = try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(adopted.errors.contains("adopted"), "\(adopted.errors)")
        try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(try await fleet.grants().count == 2)
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("notices that an asynchronous standby has lost a session, and sends no earlier token")
    func asynchronous() async throws {
        let (primary, standby, url) = try await pair()
        let fleet = try await Fleet(store: .postgres(primary), url: url)
        let second = try await fleet.machine("second")
        try await primary.waitForStandby()
        try await primary.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
        try await standby.shutDown()
        try await second.succeed("refresh", "--force", "alice.test")
        try await primary.kill9()
        try await standby.start()
        try await standby.promote()
        let refused = try await second.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 7, code: "store_went_back"), "\(refused.errors)")
        #expect(try await second.run(call).status == 0)
        #expect(try await fleet.grants().count == 1)
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("is refused by a server that loses what it has confirmed, and nothing is saved") func careless()
        async throws
    {
        let postgres = try await Postgres(options: ["fsync=off"])
        try await postgres.start()
        let sandbox = try Sandbox(accounts: ["alice.test"], ["--auto-approve"])
        let home = try Home(sandbox, Fleet.settings)
        try await home.logIn("alice.test")
        let before = try home.vaultContent()
        let refused = try await home.run("vault", "share", "--to", postgres.url(), "--json")
        #expect(refused.refusal == Refusal(status: 12, code: "store_not_durable"), "\(refused.errors)")
        #expect(refused.errors.contains("fsync=off"))
        #expect(try home.vaultContent() == before)
    }

    @Test("whose server takes no writes any more serves living tokens, and spends none") func readOnly()
        async throws
    {
        let postgres = try await Postgres()
        try await postgres.start()
        let fleet = try await Fleet(store: .postgres(postgres))
        try await postgres.sql("ALTER DATABASE postgres SET default_transaction_read_only = on")
        let refused = try await fleet.first.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 12, code: "store_refused"), "\(refused.errors)")
        #expect(try await fleet.first.run(call).status == 0)
        #expect(try await fleet.sandbox.requests().filter(\.isRefresh).isEmpty)
        let doctor = try await fleet.first.run("doctor", "--json").text
        #expect(doctor.contains("takes no writes"), "\(doctor)")
        try await postgres.sql(
            "SET default_transaction_read_only = off",
            "ALTER DATABASE postgres RESET default_transaction_read_only")
        try await fleet.first.succeed("refresh", "--force", "alice.test")
    }

    @Test("gets the password from a file, keeps it sealed, and never shows it") func passwords() async throws
    {
        let postgres = try await Postgres()
        try await postgres.start()
        let fleet = try await Fleet(store: .postgres(postgres))
        try await postgres.sql(
            "CREATE ROLE guarded LOGIN PASSWORD 'right-secret'",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON bskyauth_rows TO guarded",
            "GRANT USAGE ON bskyauth_rows_revision TO guarded")
        let url = postgres.url("guarded", options: "prefix=bots")
        let home = try fleet.stranger()
        for (text, code) in [
            (nil, "store_refused"), ("wrong-secret\n", "store_refused"), ("right-secret\n", nil),
        ] {
            let file = home.directory.appending(path: "password")
            var line = ["vault", "join", url, "--durable", "--json"]
            if let text {
                try Data(text.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                line += ["--store-password-file", file.path]
            }
            let result = try await home.run(line)
            #expect(result.errorLine?.code == code, "\(result.errors)")
            #expect(!result.errors.contains("secret"))
            if code != nil { #expect(!FileManager.default.fileExists(atPath: home.vault.path)) }
        }
        try await home.succeed("refresh", "--force", "alice.test")
        for (name, content) in try home.vaultContent() {
            #expect(content.range(of: Data("right-secret".utf8)) == nil, "\(name)")
        }
        let inURL = try await fleet.stranger().run(
            "vault", "join", "postgres://guarded:right-secret@127.0.0.1/postgres", "--json")
        #expect(inURL.refusal == Refusal(status: 64, code: "store_url"), "\(inURL.errors)")
        #expect(!inURL.errors.contains("right-secret"))
        #expect(!postgres.log.contains("secret"))
    }

    @Test("never takes another table, whatever the environment says") func environment() async throws {
        let postgres = try await Postgres()
        try await postgres.start()
        let fleet = try await Fleet(store: .postgres(postgres))
        try await postgres.sql("CREATE SCHEMA other")
        let second = try await fleet.machine("second")
        for (name, value) in [
            ("PGOPTIONS", "-csearch_path=other"), ("PGOPTIONS", "-cstatement_timeout=60000"),
            ("PGSERVICE", "other"), ("PGSERVICEFILE", "/nonexistent"),
        ] {
            for command in [
                ["refresh", "--force", "alice.test"], ["vault", "flush"],
                ["vault", "share", "--to", fleet.url],
            ] {
                let refused = try await second.run(command + ["--json"], environment: [name: value])
                #expect(
                    refused.refusal == Refusal(status: 12, code: "store_unclear")
                        || refused.refusal?.code == "vault_is_shared", "\(command): \(refused.errors)")
            }
            let home = try fleet.stranger()
            let join = try await home.run(["vault", "join", fleet.url, "--json"], environment: [name: value])
            #expect(join.refusal == Refusal(status: 12, code: "store_unclear"), "\(join.errors)")
            #expect(join.errors.contains("unset \(name)"))
            #expect(!FileManager.default.fileExists(atPath: home.vault.path))
        }
        #expect(try await fleet.grants().isEmpty)
        // These say how values are written and read, and change nothing.
        let harmless = [
            "PGDATESTYLE": "German", "PGTZ": "Pacific/Kiritimati", "PGCLIENTENCODING": "SQL_ASCII",
            "PGOPTIONS": "",
        ]
        let result = try await second.run(["refresh", "--force", "alice.test"], environment: harmless)
        #expect(result.status == 0, "\(result.errors)")
        let adopted = try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(adopted.errors.contains("adopted"), "\(adopted.errors)")
        let machines = try await fleet.first.run(["vault", "machines", "--json"], environment: harmless)
        let plain = try await fleet.first.succeed("vault", "machines", "--json")
        #expect(machines.text == plain.text)
        #expect(
            try await postgres.sql(
                "SELECT relnamespace::regnamespace FROM pg_class WHERE relname = 'bskyauth_rows'")
                == "public\n")
    }

    @Test("is not joined where no vault is shared") func empty() async throws {
        let postgres = try await Postgres()
        try await postgres.start()
        let fleet = try await Fleet(store: .postgres(postgres))
        let other = try await Postgres()
        try await other.start()
        for url in [postgres.url(options: "prefix=other"), other.url()] {
            let stranger = try fleet.stranger()
            let refused = try await stranger.run("vault", "join", url, "--json")
            #expect(refused.refusal == Refusal(status: 64, code: "store_has_no_vault"), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: stranger.vault.path))
        }
    }
}
