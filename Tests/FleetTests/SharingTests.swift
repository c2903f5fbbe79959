import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// The commands that share a vault, with a real store.
@Suite("A vault that is shared", .serialized, .timeLimit(.minutes(5))) struct SharingTests {
    private let fleet: Fleet

    init() async throws { fleet = try await Fleet() }

    @Test("has its accounts on each machine, and says where it is") func join() async throws {
        let second = try await fleet.machine("second")
        #expect(try await second.accounts().map(\.handle) == ["alice.test"])
        #expect(try await second.run(call).status == 0)
        let status = try await second.succeed("vault", "status", "--json").json
        #expect(status?["store"] as? String == fleet.url)
        #expect(status?["machine"] as? String == "second")
        #expect(status?["durable"] as? Bool == true)
        let machines = try await fleet.first.succeed("vault", "machines", "--get", ".machines[].name").text
        #expect(machines == "first\nsecond\n")
        let doctor = try await second.succeed("doctor", "--json").text
        #expect(doctor.contains("2 machines share the vault"))
        #expect(try await second.succeed("vault", "verify").status == 0)
    }

    @Test("prints JSON as the schema says") func schema() async throws {
        let second = try await fleet.machine("second")
        let third = try fleet.stranger()
        var lines: [String] = []
        for (home, line) in [
            (third, ["vault", "join", fleet.url, "--machine-name", "third"]), (second, ["vault", "status"]),
            (second, ["vault", "machines"]), (second, ["vault", "machines", "forget", "--yes", "third"]),
            (second, ["vault", "flush", "--repair"]), (second, ["vault", "unshare", "--yes"]),
            (second, ["vault", "share", "--to", fleet.url]),
        ] {
            let result = try await home.run(line + ["--json"])
            #expect(result.status == 0, "\(line): \(result.errors)")
            lines.append(result.text.trimmingCharacters(in: .newlines))
        }
        let met = try await Schema.validate(lines)
        #expect(
            met == ["vault-share/1", "vault/1", "vault-machines/1", "vault-machine/1", "vault-flush/1"])
    }

    @Test("gives a login, a new name and a logout to the other machines") func changes() async throws {
        let second = try await fleet.machine("second")
        try await fleet.first.succeed("accounts", "rename", "alice.test", "bot")
        #expect(try await second.succeed("accounts", "show", "bot", "--json").status == 0)
        try await second.succeed("logout", "bot")
        #expect(try await fleet.first.accounts().isEmpty)
        try await second.logIn("alice.test")
        // The first machine asks the store, because it does not know the account.
        #expect(try await fleet.first.run(call).status == 0)
        #expect(!(try await fleet.grants()).contains { $0.sessionEnded })
    }

    @Test("lets a program act by the login of another machine, after the session has ended here")
    func loginElsewhere() async throws {
        let second = try await fleet.machine("second")
        let alice = try #require(try await fleet.first.accounts().first)
        try await fleet.sandbox.endSessions(of: alice.did)
        #expect(try await fleet.first.run("refresh", "--force", "alice.test").status == 4)
        try await second.logIn("alice.test")
        let script = """
            for method in com.atproto.server.getSession "com.atproto.repo.describeRepo?repo=alice.test"; do
                curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" "$BSKYAUTH_PROXY_URL/xrpc/$method" | jq -r .handle
            done
            """
        let result = try await fleet.first.run("exec", "-a", "alice.test", "--", "sh", "-c", script)
        #expect(result.status == 0 && result.text == "alice.test\nalice.test\n", "\(result.errors)")
    }

    /// The arguments of a command in a hint. The URL of PostgreSQL is quoted for a shell.
    private func arguments(of hint: Substring) -> [String] {
        hint.replacing("'", with: "").split(separator: " ").dropFirst().map(String.init)
    }

    @Test("tells a machine that another one has forgotten it, until it joins again") func forgotten()
        async throws
    {
        let second = try await fleet.machine("second")
        let words =
            "another machine has forgotten this one, so a repair would not wait for it; to join again:  "
        let commands = [["refresh", "--all"], ["vault", "flush"], ["accounts"]]
        for command in commands { #expect(!(try await second.run(command).errors.contains(words))) }
        try await fleet.first.succeed("vault", "machines", "forget", "--yes", "second")
        var hints: [Substring] = []
        for command in commands {
            let result = try await second.run(command)
            #expect(result.status == 0 && result.errors.contains(words), "\(command): \(result.errors)")
            hints += result.errors.split(separator: "\n").filter { $0.contains(words) }.map {
                $0.dropFirst(words.count)
            }
        }
        let hint = try #require(hints.first)
        #expect(
            hints.count == commands.count && Set(hints).count == 1 && hint.hasPrefix("bskyauth vault join "))
        #expect(try await second.run(arguments(of: hint)).status == 0)
        #expect(!(try await second.succeed("vault", "flush").errors.contains(words)))
        #expect(
            try await fleet.first.succeed("vault", "machines", "--get", ".machines[].name").text
                == "first\nsecond\n")
    }

    @Test("keeps an account that one machine removes locally only") func localOnly() async throws {
        let second = try await fleet.machine("second")
        try await second.succeed("logout", "alice.test", "--local-only", "--yes")
        #expect(try await fleet.first.run(call).status == 0)
        try await second.succeed("vault", "flush")
        #expect(try await second.run(call).status == 0)
        // With a session that only this machine has, that is refused.
        try await fleet.sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"},"action":{"delay":"2s","when":"after"}}]"#)
        let running = try second.start("refresh", "--force", "alice.test")
        try await fleet.sandbox.waitForRequest { $0.isRefresh && $0.consumed }
        try await fleet.store.kill9()
        #expect(try await running.result().status == 0)
        let refused = try await second.run("logout", "alice.test", "--local-only", "--json")
        #expect(refused.refusal == Refusal(status: 75, code: "unfinished"), "\(refused.errors)")
        try await fleet.store.restart()
        try await second.succeed("vault", "flush")
        try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(try await fleet.grants().count == 1)
    }

    @Test("serves a token that lives without its store, and spends none") func warm() async throws {
        let second = try await fleet.machine("second")
        #expect(try await second.run(call).status == 0)
        try await fleet.store.kill9()
        #expect(try await second.run(call).status == 0)
        let refused = try await second.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 12, code: "store_unavailable"), "\(refused.errors)")
        #expect(refused.errorLine?.retryable == true)
        #expect(try await fleet.sandbox.requests().filter(\.isRefresh).isEmpty)
    }

    @Test("takes a key file that another machine adds, and not one that it has removed") func keys()
        async throws
    {
        let second = try await fleet.machine("second")
        let added = second.directory.appending(path: "added").path
        try await second.succeed("vault", "add-key", "--new-key-file", added, "--label", "added")
        try await fleet.first.succeed("vault", "flush")
        try await fleet.first.succeed("accounts", "--key-file", added)
        let third = try fleet.stranger()
        try await third.succeed("vault", "join", fleet.url, "--key-file", added)
        try await fleet.first.succeed("vault", "remove-key", "added")
        let refused = try await third.run("vault", "flush", "--json", "--key-file", added)
        #expect(refused.status == 0, "\(refused.errors)")
        let after = try await third.run("accounts", "--json", "--key-file", added)
        #expect(after.refusal == Refusal(status: 5, code: "wrong_key_file"), "\(after.errors)")
        // Machines join with a key file, so the last one stays.
        let passphrase = second.directory.appending(path: "passphrase")
        try Data("correct horse battery\n".utf8).write(to: passphrase)
        try await second.succeed("vault", "add-key", "--new-passphrase-file", passphrase.path)
        let last = try await second.run("vault", "remove-key", "key-file", "--json")
        #expect(last.refusal?.code == "last_key", "\(last.errors)")
    }

    @Test(
        "tells a machine that does not know a new key file how it takes it over, also after the old one was removed"
    )
    func newKey() async throws {
        let second = try await fleet.machine("second")
        let (old, new) = (
            try #require(second.environment["BSKYAUTH_KEY_FILE"]),
            second.directory.appending(path: "new").path
        )
        try await fleet.first.succeed("vault", "add-key", "--new-key-file", new, "--label", "new")
        let removal = ["vault", "remove-key", "key-file", "--key-file", new]
        #expect(try await fleet.first.run(removal).status == 0)
        for command in [["accounts"], ["vault", "add-key", "--new-key-file", new + "2"]] {
            let refused = try await second.run(command + ["--json", "--key-file", new])
            #expect(refused.refusal == Refusal(status: 5, code: "wrong_key_file"), "\(refused.errors)")
            #expect(
                refused.errorLine?.hint?.hasSuffix(":  bskyauth vault flush --key-file EARLIER") == true,
                "\(refused.errors)")
        }
        try await second.succeed("vault", "flush", "--key-file", old)
        try await second.succeed("accounts", "--key-file", new)
        let removed = try await second.run("accounts", "--json", "--key-file", old)
        #expect(removed.refusal == Refusal(status: 5, code: "wrong_key_file"), "\(removed.errors)")
    }

    @Test("is a vault of one machine again, and the others say whose") func unshare() async throws {
        let second = try await fleet.machine("second")
        try await second.succeed("vault", "unshare", "--yes")
        try await second.succeed("refresh", "--force", "alice.test")
        #expect(try await second.succeed("vault", "status", "--json").json?["store"] is NSNull)
        let refused = try await fleet.first.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 1, code: "vault_unshared"), "\(refused.errors)")
        #expect(refused.errorLine?.message.contains("second") == true)
        let joined = try await fleet.stranger().run("vault", "join", fleet.url, "--json")
        #expect(joined.refusal?.code == "store_has_no_vault", "\(joined.errors)")
        // The vault may come back, with what has happened meanwhile.
        try await second.succeed("vault", "share", "--to", fleet.url)
        let adopted = try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(adopted.errors.contains("adopted"))
        try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(try await fleet.grants().count == 2)
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("does not leave its store while another machine is at work") func unshareClaimed() async throws {
        let second = try await fleet.machine("second")
        try await fleet.sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"},"action":{"delay":"3s","when":"after"}}]"#)
        let running = try second.start("refresh", "--force", "alice.test")
        try await fleet.sandbox.waitForRequest(\.isRefresh)
        let refused = try await fleet.first.run("vault", "unshare", "--yes", "--json")
        #expect(refused.refusal == Refusal(status: 75, code: "claimed"), "\(refused.errors)")
        let export = try await fleet.first.run(
            "accounts", "export", "alice.test", "--json", "--to", "bundle", "--recipient-key", "key")
        #expect(export.refusal == Refusal(status: 64, code: "shared_export"), "\(export.errors)")
        let logout = try await fleet.first.run("logout", "alice.test", "--json", "--lock-timeout", "0s")
        #expect(logout.refusal == Refusal(status: 75, code: "claimed"), "\(logout.errors)")
        #expect(try await running.result().status == 0)
        try await fleet.first.succeed("accounts", "rename", "alice.test", "bot")
        try await fleet.first.succeed("vault", "unshare", "--yes")
        try await fleet.first.succeed("refresh", "--force", "bot")
        #expect(try await !fleet.hasEndedSession())
    }

    @Test(
        "refuses what it can't take, and changes nothing",
        arguments: [
            ("etcd+http://127.0.0.1:1/bots", "store_unavailable", 12),
            ("etcd+http://user:word@127.0.0.1:1/bots", "store_url", 64),
            ("etcd+http://192.0.2.1/bots", "store_url", 64),
            ("etcd://127.0.0.1", "store_url", 64),
            ("redis://127.0.0.1/0", "store_url", 64),
            ("postgres://user:word@127.0.0.1/bots", "store_url", 64),
            ("postgres://192.0.2.1/bots?sslmode=require", "store_url", 64),
        ] as [(String, String, Int32)])
    func refusals(url: String, code: String, status: Int32) async throws {
        let stranger = try fleet.stranger()
        let join = try await stranger.run("vault", "join", url, "--json")
        #expect(join.refusal == Refusal(status: status, code: code), "\(join.errors)")
        #expect(!FileManager.default.fileExists(atPath: stranger.vault.path))
        try await stranger.logIn("alice.test")
        let before = try stranger.vaultContent()
        let share = try await stranger.run("vault", "share", "--to", url, "--json")
        #expect(share.refusal == Refusal(status: status, code: code), "\(share.errors)")
        #expect(!join.errors.contains("word@") && !share.errors.contains("word@"))
        #expect(try stranger.vaultContent() == before)
    }

    @Test("asks for what join needs") func joinRefusals() async throws {
        let stranger = try fleet.stranger()
        let other = stranger.directory.appending(path: "other").path
        try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(to: URL(filePath: other))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
        let wrong = try await stranger.run("vault", "join", fleet.url, "--json", "--key-file", other)
        #expect(wrong.refusal == Refusal(status: 5, code: "wrong_key_file"), "\(wrong.errors)")
        let unsaid = try await stranger.run("vault", "join", fleet.url, "--json", environment: ["CI": "1"])
        #expect(unsaid.refusal == Refusal(status: 64, code: "durability_not_named"), "\(unsaid.errors)")
        let empty = try await stranger.run("vault", "join", fleet.store.url("other"), "--json")
        #expect(empty.refusal == Refusal(status: 64, code: "store_has_no_vault"), "\(empty.errors)")
        #expect(!FileManager.default.fileExists(atPath: stranger.vault.path))
        let taken = try fleet.stranger()
        try await taken.logIn("alice.test")
        let before = try taken.vaultContent()
        let share = try await taken.run("vault", "share", "--to", fleet.url, "--json")
        #expect(share.refusal == Refusal(status: 64, code: "store_in_use"), "\(share.errors)")
        #expect(try taken.vaultContent() == before)
    }
}
