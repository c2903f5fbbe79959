import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("What exec tells the user")
    struct ExecMessageTests {
        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        @Test("a line in quotes is no program, and the error shows the shell that takes it")
        func line() async throws {
            try await home.logIn("alice.test")
            let result = try await home.run("exec", "--", "echo it\u{27}s so")
            #expect(result.errors.contains(#"-- sh -c 'echo it'\''s so'"#), "\(result.errors)")
        }

        @Test("variables with a login that the program misses are named at a terminal and with --verbose")
        func removed() async throws {
            try await home.logIn("alice.test")
            let login = ["BSKY_PASSWORD": "other", "GOAT_USERNAME": "other", "BSKY_HANDLE": "other"]
            let words = "sh does not get BSKY_PASSWORD, GOAT_USERNAME, which may hold another login"
            let command = ["exec", "--set", "BSKY_HANDLE=handle"]
            let program = ["--", "sh", "-c", "echo $BSKY_PASSWORD$GOAT_USERNAME$BSKY_HANDLE"]
            let quiet = try await home.run(command + program, environment: login)
            #expect(quiet.text == "alice.test\n" && !quiet.errors.contains("does not get"), "\(quiet.errors)")
            let verbose = try await home.run(command + ["-v"] + program, environment: login)
            #expect(verbose.errors.contains(words + "\n"), "\(verbose.errors)")
            let seen = try await home.runAtTerminal(
                Paths.program, command + program, steps: [], columns: 120, environment: login)
            #expect(seen.status == 0 && seen.screen.contains(words), "\(seen.screen)")
            let none = try await home.run(["exec", "-v"] + program)
            #expect(!none.errors.contains("does not get"), "\(none.errors)")
        }

        @Test("an account of another network starts no program")
        func otherNetwork() async throws {
            try await home.logIn("alice.test")
            let result = try await home.run(
                "exec", "--", "echo", "started", environment: ["BSKYAUTH_DEV_NETWORK": ""])
            #expect(result.status == 64 && result.text.isEmpty, "\(result.text)")
            #expect(result.errors.contains("BSKYAUTH_DEV_NETWORK is not set"), "\(result.errors)")
        }

        @Test("after a logout elsewhere its program is refused, and the account is named with the way back")
        func loggedOut() async throws {
            try await home.logIn("alice.test", "--scope", "blob:*/*")
            let script = """
                BSKYAUTH_KEY_FILE='\(home.environment["BSKYAUTH_KEY_FILE"] ?? "")' '\(Paths.program)' logout alice.test --local-only 2>/dev/null
                for i in 1 2; do
                    curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                        "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.describeRepo?repo=alice.test" | jq -r '.error, .message'
                done
                """
            let result = try await home.run("exec", "--", "sh", "-c", script)
            let lines = result.text.split(separator: "\n")
            #expect(lines.count == 4 && lines[0] == "AuthenticationRequired", "\(result.text)")
            #expect(lines.last?.contains("@alice.test was logged out") == true)
            #expect(
                result.errors.components(separatedBy: "bskyauth login alice.test --scope 'blob:*/*'").count
                    == 2,
                "\(result.errors)")
        }

        @Test(
            "a locked vault ends the access of its program, and that is said once",
            .enabled(if: VaultUnlockTests.isPossible))
        func locked() async throws {
            try await home.logIn("alice.test")
            let script = """
                '\(Paths.program)' vault lock
                for i in 1 2 3; do
                    curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
                        "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.server.getSession" | jq -r .error
                done
                """
            let result = try await home.run("exec", "--", "sh", "-c", script)
            #expect(result.text.split(separator: "\n") == Array(repeating: "ServiceUnavailable", count: 3))
            #expect(
                result.errors.components(separatedBy: "the vault was locked, or").count == 2,
                "\(result.errors)")
            #expect(
                result.errors.contains(
                    "locked already; exec and proxy without --keep-unlocked can no longer use it"),
                "\(result.errors)")
        }

        @Test("a rule that lets nothing through is told at the start, and the program runs")
        func idleRules() async throws {
            try await home.logIn("alice.test")
            let rules = ["repo:*", "com.example.none", "app.bsky.nothing.*", "app.bsky.feed.*"]
            let result = try await home.run(
                ["exec", "--read-only"] + rules.flatMap { ["--allow", $0] } + ["--", "echo", "runs"])
            #expect(result.text == "runs\n" && result.status == 0)
            let told = result.errors.split(separator: "\n").filter { $0.hasPrefix("--allow ") }
            #expect(
                told.map { $0.split(separator: "\"")[1] } == rules.dropLast().map { $0[...] },
                "\(result.errors)")
        }

        @Test("with -v each request of its program is a line")
        func verbose() async throws {
            try await home.logIn("alice.test")
            let script = """
                for path in com.atproto.server.getSession com.atproto.repo.describeRepo?repo=alice.test ""; do
                    curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" "$BSKYAUTH_PROXY_URL/xrpc/$path" >/dev/null
                done
                """
            let result = try await home.run("exec", "-v", "--", "sh", "-c", script)
            let lines = result.errors.split(separator: "\n").filter { $0.hasPrefix("proxy: ") }
            #expect(
                lines == [
                    "proxy: GET com.atproto.server.getSession: 200",
                    "proxy: GET com.atproto.repo.describeRepo: 200", "proxy: GET no XRPC method: 400",
                ], "\(result.errors)")
        }
    }
}
