import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The doctor")
    struct DoctorTests {
        struct Check: Decodable {
            let name: String
            let verdict: String
            let message: String
            let hint: String?
            let error: String?
        }

        struct Report: Decodable {
            let schema: String
            let verdict: String
            let checks: [Check]

            subscript(name: String) -> Check? { checks.first { $0.name == name } }
        }

        private static let names = [
            "version", "vault", "key", "cache", "keyring", "pin", "browser", "proxy", "dns", "directory",
            "clock", "servers",
        ]

        /// Runs the doctor, and holds what it says to what every report promises.
        private func examine(
            _ home: Home, _ arguments: String..., environment: [String: String] = [:],
            ends status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> Report {
            let result = try await home.run(["doctor", "--json"] + arguments, environment: environment)
            #expect(result.status == status, "\(result.text)", sourceLocation: sourceLocation)
            let report = try JSONDecoder().decode(Report.self, from: result.output)
            #expect(report.schema == "bskyauth.doctor/1", sourceLocation: sourceLocation)
            let failed = report.checks.filter { $0.verdict == "failed" }
            let worst = ["failed", "warning"].first { verdict in
                report.checks.contains { $0.verdict == verdict }
            }
            #expect(report.verdict == worst ?? "ok", sourceLocation: sourceLocation)
            #expect(failed.isEmpty == (status == 0), sourceLocation: sourceLocation)
            #expect(result.errorLine?.code == failed.first?.error, sourceLocation: sourceLocation)
            for check in report.checks {
                let (isFailed, isOK) = (check.verdict == "failed", check.verdict == "ok")
                #expect((check.error != nil) == isFailed, sourceLocation: sourceLocation)
                #expect((check.hint == nil) == isOK, "\(check)", sourceLocation: sourceLocation)
                let isSentence = !check.message.isEmpty && !check.message.hasSuffix(".")
                #expect(isSentence, "\(check)", sourceLocation: sourceLocation)
            }
            return report
        }

        @Test("without a vault all else is looked at, and nothing is made")
        func noVault() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let report = try await examine(home)
            #expect(report.checks.map(\.name) == Self.names.filter { $0 != "key" && $0 != "servers" })
            #expect(report["vault"]?.message.contains("there is no vault in") == true)
            #expect(report["cache"]?.message.contains("there is no cache in") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.directory.path).isEmpty)
            #expect(try await sandbox.requests().count == 1)
        }

        @Test(
            "with accounts it asks what anybody may ask, each server once, and whether they are active"
        )
        func accounts() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test", "--label", "work")
            try await home.logIn("bob.test")
            let before = try home.vaultContent()
            try await sandbox.resetJournal()
            let report = try await examine(home)
            #expect(report.checks.map(\.name) == Self.names)
            let checks = report.checks.filter { $0.name != "keyring" }
            #expect(checks.allSatisfy { $0.verdict == "ok" }, "\(checks)")
            #expect(report["key"]?.message.contains("2 accounts") == true)
            #expect(report["servers"]?.message.hasSuffix(" and 1 more") == true)
            let requests = try await sandbox.requests()
            #expect(
                requests.map(\.line).sorted() == [
                    "GET /", "GET /.well-known/oauth-authorization-server",
                    "GET /.well-known/oauth-protected-resource",
                    "GET /xrpc/com.atproto.sync.getRepoStatus", "GET /xrpc/com.atproto.sync.getRepoStatus",
                ])
            #expect(requests.allSatisfy { $0.auth == nil && $0.proof == nil })
            #expect(try home.vaultContent() == before)

            let alice = try await examine(home, "work")
            #expect(alice["servers"]?.message.hasSuffix("for @alice.test (work)") == true)
            #expect(try await home.run("doctor", "wrok", "--json").status == 6)
            let words = try await home.succeed("doctor")
            #expect(words.text.contains("ok  servers    127.0.0.1:"))
        }

        @Test("offline it says what can't be reached, and looks at the rest")
        func offline() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try await home.sandbox.setFaults(
                #"[{"match":{"path_prefix":"/.well-known/"},"action":{"drop":"before"}}]"#)
            let report = try await examine(
                home, environment: ["BSKYAUTH_PLC_URL": "http://127.0.0.1:1"], ends: 12)
            #expect(report["directory"]?.error == "not_connected")
            #expect(report["servers"]?.error == "connection_lost")
            #expect(report["key"]?.verdict == "ok" && report["browser"]?.verdict == "ok")
            #expect(report["clock"] == nil)
        }

        @Test("on the real network DNS is asked, and an account of a dev network is not")
        func realNetwork() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let environment = [
                "BSKYAUTH_DEV_NETWORK": "", "BSKYAUTH_DNS_SERVER": "127.0.0.1:1",
                "BSKYAUTH_PLC_URL": "https://127.0.0.1:1", "NO_PROXY": "localhost",
                "https_proxy": "http://me:s3cret@127.0.0.1:1/",
            ]
            let report = try await examine(home, environment: environment, ends: 12)
            #expect(report["dns"]?.error == "identity_unavailable")
            #expect(report["directory"]?.error == "private_address")
            #expect(report["servers"]?.error == "wrong_network")
            let allowed = environment.merging(["BSKYAUTH_ALLOW_PRIVATE_NETWORK": "1"]) { $1 }
            let atHome = try await examine(home, environment: allowed, ends: 12)
            #expect(atHome["directory"]?.error == "not_connected")
            #expect(report["proxy"]?.message == "requests go through http://127.0.0.1:1")
            let words = try await home.run("doctor", "-v", environment: environment)
            #expect(!(words.text + words.errors).contains("s3cret"))
        }

        @Test("settings that can't be are found first, and the vault is looked at all the same")
        func settings() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            for variable in ["BSKYAUTH_DNS_SERVER", "BSKYAUTH_PLC_URL", "BSKYAUTH_DEV_NETWORK"] {
                let report = try await examine(home, environment: [variable: "no such thing"], ends: 64)
                #expect(report["settings"]?.message.contains(variable) == true)
                #expect(report["key"]?.verdict == "ok" && report["directory"] == nil)
            }
        }

        @Test(
            "a clock that is off is a warning where proofs are corrected for it",
            .enabled(if: Later.isPossible))
        func clock() async throws {
            let home = try Home(try Sandbox())
            let behind = try await examine(home, environment: Later.by(seconds: -600))
            #expect(behind["clock"]?.verdict == "warning")
            let minutes = ["9 min", "10 min"].map { "your clock is \($0) behind 127.0.0.1; " }
            #expect(minutes.contains { behind["clock"]?.message.hasPrefix($0) == true })
            #expect(behind["clock"]?.hint?.contains("timedatectl") == true)
            let ahead = try await examine(home, environment: Later.by(seconds: 3 * 86400), ends: 10)
            #expect(ahead["clock"]?.error == "clock_skew")
            #expect(
                ahead["clock"]?.message.contains("days ahead of 127.0.0.1, so servers will refuse") == true)
        }

        @Test("a refresh that has to wait is a warning, and the account shows until when")
        func postponed() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try await home.sandbox.setFaults(
                #"[{"match":{"grant":"refresh_token"},"action":{"respond":{"status":503,"headers":{"retry-after":"600"},"body":{}}}}]"#
            )
            let refresh = try await home.run("refresh", "--force", "--json")
            let time = try #require(refresh.errorLine?.retryAt, "\(refresh.errors)")
            let report = try await examine(home)
            #expect(report["refresh"]?.verdict == "warning")
            #expect(
                report["refresh"]?.message.contains("(HTTP 503); no refresh is sent before \(time)") == true)
            let shown = try await home.succeed("accounts", "show", "alice.test")
            #expect(shown.text.contains("refresh_not_before  \(time)"), "\(shown.text)")
        }

        @Test("folders that others may enter")
        func permissions() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let cache = home.directory.appending(path: "cache/bskyauth").path
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: cache)
            let warned = try await examine(home)
            #expect(warned["cache"]?.verdict == "warning")
            #expect(warned["cache"]?.hint == "chmod go-rwx \(cache)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.vault.path)
            let failed = try await examine(home, ends: 7)
            #expect(failed["vault"]?.error == "unsafe_permissions")
            #expect(failed["vault"]?.hint == "chmod go-rwx \(home.vault.path)")
            #expect(failed["servers"] == nil)
        }

        @Test("a key that is missing or wrong")
        func key() async throws {
            let home = try Home(try Sandbox(), key: ["BSKYAUTH_PASSPHRASE": "the right one"])
            try await home.logIn("alice.test")
            let wrong = try await examine(home, environment: ["BSKYAUTH_PASSPHRASE": "wrong"], ends: 5)
            #expect(wrong["key"]?.error == "wrong_passphrase" && wrong["vault"]?.verdict == "ok")
            #expect(wrong["directory"]?.verdict == "ok")
            let result = try await home.run("doctor", environment: ["BSKYAUTH_PASSPHRASE": "wrong"])
            #expect(!(result.text + result.errors).contains("the right one"))
        }

        @Test("an account and a pin that can't be used")
        func damage() async throws {
            let home = try Home(try Sandbox())
            let alice = try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            try Data("no".utf8).write(to: home.directory.appending(path: ".bskyauth-account"))
            let pin = try await examine(home, ends: 6)
            #expect(pin["pin"]?.error == "malformed_pin" && pin["servers"]?.verdict == "ok")
            try await home.succeed("accounts", "unpin")
            try Data("no".utf8).write(to: home.vault.appending(path: "accounts/\(alice.id)/session"))
            let damaged = try await examine(home, ends: 7)
            #expect(damaged["account"]?.error == "damaged")
            #expect(damaged["servers"]?.message.hasSuffix("for @bob.test") == true)
        }

        @Test("servers that fail")
        func servers() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let metadata = #""match":{"path":"/.well-known/oauth-protected-resource"}"#
            try await sandbox.setFaults(#"[{\#(metadata),"action":{"respond":{"status":502,"body":"no"}}}]"#)
            let failing = try await examine(home, ends: 11)
            #expect(failing["servers"]?.message.hasPrefix("for @alice.test: ") == true)
            #expect(failing["servers"]?.message.contains("HTTP 502") == true)
        }

        @Test("what opens the browser, and what does when there is none")
        func browser() async throws {
            let home = try Home(try Sandbox())
            func browser(_ environment: [String: String]) async throws -> Check? {
                try await examine(home, environment: environment)["browser"]
            }
            let found = try await browser([:])
            #expect(
                found?.verdict == "ok" && found?.message.hasSuffix("/python3 opens the sign-in page") == true)
            let missing = try await browser(["BSKYAUTH_BROWSER": "no-such-browser --new"])
            #expect(missing?.verdict == "warning" && missing?.message.contains("no-such-browser") == true)
            let open = try await browser(["BSKYAUTH_BROWSER": "firefox '"])
            #expect(open?.verdict == "warning")
            let none = try await browser(["BSKYAUTH_BROWSER": ""])
            #expect(none?.verdict == "warning" && none?.message.contains("no display") == true)
            let remote = try await browser(["BSKYAUTH_BROWSER": "", "SSH_CONNECTION": "1 2 3 4"])
            #expect(remote?.verdict == "ok")
        }

        @Test("an app password's service is asked, too")
        func appPassword() async throws {
            let password = "abcd-efgh-ijkl-mnop"
            let sandbox = try Sandbox(
                accounts: ["alice.test"], ["--app-password", "alice.test:\(password)"])
            let home = try Home(sandbox)
            let login = try await home.run(
                "login", "alice.test", "--app-password", input: Data("\(password)\n".utf8))
            try #require(login.status == 0, "\(login.errors)")
            try await sandbox.resetJournal()
            let report = try await examine(home)
            #expect(report["servers"]?.message.contains(" answers, for @alice.test") == true)
            #expect(try await sandbox.requests().allSatisfy { $0.auth == nil })
        }
    }
}
