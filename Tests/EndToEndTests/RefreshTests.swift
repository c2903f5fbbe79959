import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Refresh")
    struct RefreshTests {
        @Test(
            "--all refreshes accounts at once, each with one grant, and says so of each", .covers("K5", "H5"))
        func all() async throws {
            let handles = (1...6).map { "user\($0).test" }
            let sandbox = try Sandbox(accounts: handles)
            let home = try Home(sandbox)
            for handle in handles { try await home.logIn(handle) }
            try await sandbox.resetJournal()

            let result = try await home.run("refresh", "--all", "--force", "--jobs", "3", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let results = try #require(result.json?["results"] as? [[String: Any]])
            #expect(Set(results.compactMap { $0["handle"] as? String }) == Set(handles))
            #expect(results.allSatisfy { $0["status"] as? String == "refreshed" })
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == handles.count)
            #expect(!requests.contains { $0.sessionEnded })
        }

        @Test("says how it changed what the session may do, and nothing about the same in other words")
        func grant() async throws {
            let sandbox = try Sandbox(accounts: ["alice.test"])
            let home = try Home(sandbox)
            func answer(_ grant: String, _ scope: String) async throws {
                try await sandbox.setFaults(
                    #"[{"match":{"grant":"\#(grant)"},"action":{"amend":{"set":{"/scope":"\#(scope)"}}}}]"#)
            }
            func result(_ run: Program.Result) throws -> [String: Any] {
                try #require((run.json?["results"] as? [[String: Any]])?.first)
            }
            try await answer("authorization_code", "atproto repo:a.b.c repo:a.b.d?action=create")
            try await home.logIn("alice.test", "--scope", "repo:a.b.c")
            try await answer("refresh_token", "repo?collection=a.b.d&action=create repo:a.b.c atproto")
            let same = try await home.succeed("refresh", "--force", "--json")
            #expect(try result(same)["scopes_added"] as? [String] == [])
            #expect(!same.errors.contains("allows"))
            try await answer("refresh_token", "atproto repo:a.b.d repo:a.b.e repo:a.b.f")
            let other = try await home.succeed("refresh", "--force", "--json")
            let added =
                ["update", "delete"].map { "repo:a.b.d?action=\($0)" }
                + ["e", "f"].flatMap { name in
                    ["create", "update", "delete"].map { "repo:a.b.\(name)?action=\($0)" }
                }
            #expect(try result(other)["scopes_added"] as? [String] == added)
            #expect(try (result(other)["scopes_removed"] as? [String])?.count == 3)
            #expect(
                other.errors.contains(
                    "the server now allows \(added.prefix(5).joined(separator: ", ")) and 3 more, and no longer allows "
                ),
                "\(other.errors)")
            // It is told by the command that refreshed the session, and by no later one.
            let fresh = try await home.succeed("refresh", "--json")
            #expect(try result(fresh)["scopes_added"] is NSNull && !fresh.errors.contains("allows"))
        }

        @Test("a long grant is shown by its beginning, and whole in JSON", .covers("R48"))
        func longGrant() async throws {
            let sandbox = try Sandbox(accounts: ["alice.test"])
            let home = try Home(sandbox)
            let methods = (1...100).map { "lxm=com.example.calendar.listEvents\($0)" }.joined(separator: "&")
            let scopes = ["atproto", "rpc?\(methods)&aud=*"] + (1...9).map { "repo:com.example.record\($0)" }
            try await sandbox.setFaults(
                #"[{"match":{"grant":"authorization_code"},"action":{"amend":{"set":{"/scope":"#
                    + #""\#(scopes.joined(separator: " "))"}}}}]"#)
            try await home.logIn("alice.test", "--scope", "include:com.example.auth")
            let shown = try await home.succeed("accounts", "show", "alice.test")
            let lines = shown.text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count < 500 })
            let place = try #require(lines.firstIndex { $0.hasPrefix("may ") })
            #expect(lines[place].hasSuffix("com.example.record5 and 4 more"), "\(lines[place])")
            #expect(lines[place + 1].contains(" and 95 more at any service"), "\(lines[place + 1])")
            let json = try await home.succeed("accounts", "show", "alice.test", "--json")
            #expect((json.json?["account"] as? [String: Any])?["scopes"] as? [String] == scopes)
        }

        @Test("--all of a vault without accounts succeeds and says so")
        func none() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try await home.succeed("logout", "alice.test")
            let result = try await home.succeed("refresh", "--all")
            #expect(result.errors.contains("no account is in the vault, so nothing was refreshed\n"))
        }

        @Test(
            "a process without a descriptor for its request leaves no intent, so the next one does not wait")
        func fewDescriptors() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            let intent = home.vault.appending(path: "accounts/\(alice.id)/intent").path
            var failed = 0
            for limit in 4...64 {
                try await sandbox.resetJournal()
                let result = try await Program.run(
                    "/bin/sh", ["-c", "ulimit -n \(limit); exec \"$0\" refresh --force", Paths.program],
                    environment: home.environment, directory: home.directory)
                if result.status == 0 { break }
                failed += 1
                #expect(try await !sandbox.requests().contains { $0.isRefresh }, "\(limit)")
                #expect(!FileManager.default.fileExists(atPath: intent), "\(limit): \(result.errors)")
            }
            #expect(failed > 0)
            try await home.succeed("refresh", "--force")
        }

        @Test("processes that refresh all at once spend one grant per account", .covers("H4"))
        func processes() async throws {
            let handles = (1...4).map { "user\($0).test" }
            let sandbox = try Sandbox(accounts: handles)
            let home = try Home(sandbox)
            try await sandbox.setFaults(Faults.tokenEndsAtOnce)
            for handle in handles { try await home.logIn(handle) }
            try await sandbox.resetJournal()

            let running = try (0..<6).map { _ in
                try home.start("refresh", "--all", "--json", "--lock-timeout", "60s")
            }
            for process in running {
                let result = try await process.result()
                #expect(result.status == 0, "\(result.errors)")
            }
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == handles.count)
            #expect(!requests.contains { $0.sessionEnded })
        }

        @Test("TERM is obeyed when the rotations under way are over, and no other is begun")
        func terminated() async throws {
            let handles = (1...5).map { "user\($0).test" }
            let sandbox = try Sandbox(accounts: handles)
            let home = try Home(sandbox)
            for handle in handles { try await home.logIn(handle) }
            try await sandbox.resetJournal()
            try await sandbox.setFaults(Faults.slowRefresh)
            let running = try home.start("refresh", "--all", "--force", "--jobs", "2")
            try await sandbox.waitForRequest { $0.isRefresh && $0.consumed }
            running.signal(SIGTERM)
            let result = try await running.result()
            #expect(result.wasSignalled && result.status == SIGTERM, "\(result.errors)")
            let spent = try await sandbox.requests().count { $0.isRefresh && $0.consumed }
            #expect(spent == 1 || spent == 2)
            try await sandbox.setFaults("[]")
            try await home.succeed("refresh", "--all", "--force")
        }

        @Test(
            "one account that is over does not keep the others from their tokens, and is the exit",
            .covers("H7"))
        func oneIsOver() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            try await sandbox.endSessions(of: alice.did)
            let result = try await home.run("refresh", "--all", "--force", "--json")
            let refused = ServerProfile.current.refusedRefresh
            #expect(result.status == refused.exit)
            let results = try #require(result.json?["results"] as? [[String: Any]])
            let alices = results.first { $0["id"] as? String == alice.id }
            let bobs = results.first { $0["handle"] as? String == "bob.test" }
            #expect(alices?["status"] as? String == refused.status)
            #expect(alices?["error"] as? String == refused.error)
            #expect(bobs?["status"] as? String == "refreshed" && bobs?["error"] is NSNull)
        }

        @Test("--fail-if-session-ends-within is exit 4 with the login, and refreshes all the same")
        func endsSoon() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            let never = try await home.run("refresh", "--force", "--fail-if-session-ends-within", "13d")
            #expect(never.status == 0, "\(never.errors)")
            let soon = try await home.run(
                "refresh", "--force", "--json", "--fail-if-session-ends-within", "15d")
            #expect(soon.status == 4)
            let item = (soon.json?["results"] as? [[String: Any]])?.first
            #expect(item?["status"] as? String == "refreshed")
            #expect(item?["error"] as? String == "session_ends_soon")
            #expect(item?["session_ends_soon"] as? Bool == true)
            let words = try await home.run("refresh", "--fail-if-session-ends-within", "15d")
            #expect(words.status == 4)
            #expect(words.errors.contains("the session of @alice.test ends in 14 days"))
            #expect(words.errors.contains("  bskyauth login alice.test"))
            #expect(try await home.accounts().first?.did == alice.did)
        }

        @Test("--fail-if-session-ends-within is met also where no server answers, account by account")
        func endsSoonUnasked() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"action":{"respond":{"status":503,"body":{}}}}]"#)
            let soon = try await home.run(
                "refresh", "--all", "--force", "--json", "--fail-if-session-ends-within", "15d")
            #expect(soon.status == 4 && soon.errorLine?.code == "session_ends_soon", "\(soon.errors)")
            let results = try #require(soon.json?["results"] as? [[String: Any]])
            #expect(results.map { $0["status"] as? String } == ["failed", "failed"])
            #expect(results.allSatisfy { $0["session_ends_at"] is String })
            #expect(results.allSatisfy { $0["session_ends_soon"] as? Bool == true })
            #expect(results.allSatisfy { $0["error"] as? String != "session_ends_soon" })
        }

        @Test("--min-ttl beyond half of a token's life is cut, and says so")
        func cap() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let result = try await home.run("refresh", "--min-ttl", "2h")
            #expect(result.status == 0)
            #expect(result.errors.contains("fresh: @alice.test"))
            #expect(
                result.errors.contains("--min-ttl is more than half of a token's lifetime; 30 min was used"))
        }

        @Test("a terminal sees how far it has come, and nothing of that is left", .covers("K5"))
        func progress() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            let result = try await home.runAtTerminal(
                "refresh", "--all", "--force", "--jobs", "1", steps: [], environment: ["TERM": "xterm"])
            #expect(result.status == 0)
            let last = try #require(result.screen.range(of: "refreshing: 1 of 2"))
            #expect(result.screen[last.upperBound...].hasPrefix("\r\u{1b}[K"))
            #expect(!result.screen.contains("2 of 2"))
        }

        @Test(
            "a system that starts no thread is told of, and nothing is spent",
            .enabled(if: hasStrace, "strace is not there"))
        func noThread() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            let before = try home.vaultContent()
            // Waiting for a thread would never end.
            let refresh = try await Program.run(
                "/usr/bin/timeout",
                [
                    "60", "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,clone3", "-e",
                    "inject=clone,clone3:error=EAGAIN", Paths.program, "refresh", "--force", "--json",
                ], environment: home.environment, directory: home.directory)
            #expect(refresh.status == 1, "\(refresh.errors)")
            #expect(try home.vaultContent() == before)
            #expect(try await sandbox.requests().isEmpty)
            try await home.succeed("refresh", "--force")
        }

        private static let hasStrace =
            ProcessInfo.processInfo.environment["CI"] != nil
            || FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")
    }
}
