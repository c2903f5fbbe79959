import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Tokens for other services")
    struct ServiceTokenTests {
        private static let service = "did:web:svc.example.com#feed"
        private static let method = "com.example.feed.read"
        private static let command = ["service-token", "--aud", service, "--lxm", method]

        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        /// What the command prints.
        private func succeed(_ options: [String]) async throws -> Program.Result {
            let result = try await home.run(Self.command + options)
            try #require(result.status == 0, "\(options): \(result.errors)")
            return result
        }

        /// The claims of a token. The output has nothing else.
        private func claims(_ output: String) throws -> [String: Any] {
            let parts = output.trimmingCharacters(in: .newlines).split(separator: ".")
            try #require(parts.count == 3 && output.filter(\.isNewline).count == 1, "\(output)")
            var payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
            while payload.count % 4 != 0 { payload += "=" }
            let json = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: payload)))
            return try #require(json as? [String: Any])
        }

        @Test("say who calls whom, with which method, and until when by the server's clock", .covers("X13"))
        func claims() async throws {
            let alice = try await home.logIn("alice.test")
            try await sandbox.advanceClock("3h")
            let now = Date().timeIntervalSince1970 + 3 * 3600
            let cases: [([String], Double)] = [([], 60), (["--ttl", "10"], 10), (["--ttl", "1h"], 3590)]
            for (options, life) in cases {
                let claims = try claims(try await succeed(options).text)
                #expect(claims["iss"] as? String == alice.did)
                #expect(claims["aud"] as? String == "did:web:svc.example.com")
                #expect(claims["lxm"] as? String == Self.method)
                let end = try #require(claims["exp"] as? Double)
                #expect(abs(end - now - life) < 30, "\(life): \(end - now)")
            }
            let named = try await succeed(["--aud-with-service", "--json"]).json
            #expect(named?["aud"] as? String == Self.service && named?["iss"] as? String == alice.did)
            let token = try #require(named?["token"] as? String)
            #expect(try claims(token + "\n")["aud"] as? String == Self.service)
        }

        @Test("an app password gets them too, and the account may be named")
        func password() async throws {
            let sandbox = try Sandbox(["--app-password", "bob.test:abcd-efgh-ijkl-mnop"])
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            try await home.succeed(
                "login", "bob.test", "--app-password", input: Data("abcd-efgh-ijkl-mnop\n".utf8))
            try await sandbox.advanceClock("20m")
            for names in [["bob.test"], ["-a", "bob.test"]] {
                let claims = try claims(try await home.run(Self.command + names).text)
                let life = try #require(claims["exp"] as? Double) - Date().timeIntervalSince1970 - 1200
                #expect(life > 30 && life < 90, "\(life)")
            }
            let requests = try await sandbox.requests().filter { $0.path.hasSuffix("getServiceAuth") }
            // The first request shows what time it is at the server: no proof has shown it before.
            #expect(requests.map(\.status) == [400, 200, 400, 200])
        }

        @Test("the scope that is missing is named, and the login with it is enough", .covers("S8", "X13"))
        func scope() async throws {
            try await home.succeed("login", "alice.test", "--scope", "blob:*/*")
            let (naming, named) = (
                ["--aud-with-service"], "rpc:\(Self.method)?aud=did:web:svc.example.com%23feed"
            )
            let login = try await missingScope(named, naming)
            #expect(login == "bskyauth login alice.test --scope 'blob:*/*' --scope '\(named)'")
            try await runLogin(login)
            _ = try await succeed(naming)
            // The scope names the service, and a DID alone is not covered by it.
            let any = "rpc:\(Self.method)?aud=*"
            #expect(try await missingScope(any, []).hasSuffix("add --aud-with-service"))
            try await home.succeed("login", "alice.test", "--scope", "blob:*/*")
            try await runLogin(try await missingScope(any, []))
            _ = try await succeed([])
        }

        /// The next step after a refusal for want of a scope.
        private func missingScope(_ scope: String, _ options: [String]) async throws -> String {
            let refused = try await home.run(Self.command + options + ["--json"])
            #expect(refused.status == 8 && refused.output.isEmpty, "\(refused.errors)")
            let error = try #require(refused.errorLine)
            #expect(error.code == "scope_missing" && error.message.contains("\"\(scope)\""), "\(error)")
            return try #require(error.hint)
        }

        /// Runs a command as it was shown.
        private func runLogin(_ command: String) async throws {
            let words = command.replacing("bskyauth", with: Paths.program, maxReplacements: 1)
            let result = try await Program.run(
                "/bin/sh", ["-c", words], environment: home.environment, directory: home.directory)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }

        @Test("a terminal is shown nothing but how to go on, until it is asked for", .covers("B21"))
        func terminal() async throws {
            try await home.logIn("alice.test")
            for options in [[], ["--json"]] {
                let refused = try await home.runAtTerminal(
                    Paths.program, Self.command + options, steps: [])
                #expect(refused.status == 64 && !refused.screen.contains("eyJ"))
                #expect(refused.screen.contains("--lxm \(Self.method) --show"))
            }
            let shown = try await home.runAtTerminal(
                Paths.program, Self.command + ["--show"], steps: [])
            #expect(shown.status == 0 && shown.screen.contains("eyJ"))
        }

        @Test("a token that was not asked for is not printed", .covers("X13"))
        func wrong() async throws {
            try await home.logIn("alice.test")
            for token in ["opaque", "e30.e30.e30"] {
                try await sandbox.setFaults(
                    Faults.answer(
                        "com.atproto.server.getServiceAuth", 200, body: #"{"token":"\#(token)"}"#))
                let refused = try await home.run(Self.command + ["--json"])
                #expect(refused.status == 13 && refused.output.isEmpty)
                #expect(refused.errorLine?.code == "wrong_service_token")
            }
        }

        @Test("methods that manage the account get none")
        func protected() async throws {
            try await home.logIn("alice.test")
            let refused = try await home.run(
                "service-token", "--aud", Self.service, "--lxm", "com.atproto.server.updateEmail", "--json")
            #expect(refused.status == 10 && refused.errorLine?.message.contains("protected method") == true)
        }

        @Test("are asked for with a service, a method and a time, and nothing else")
        func usage() async throws {
            let home = try Home(sandbox, key: [:])
            let requests = try await sandbox.requests {
                for arguments in [
                    [], ["--aud", Self.service], ["--lxm", Self.method],
                    ["--aud", "svc.example.com", "--lxm", Self.method],
                    ["--aud", "https://svc.example.com", "--lxm", Self.method],
                    ["--aud", Self.service, "--lxm", "*"], ["--aud", Self.service, "--lxm", "read"],
                    ["--aud", Self.service, "--lxm", Self.method, "--ttl", "9s"],
                    ["--aud", Self.service, "--lxm", Self.method, "--ttl", "3601"],
                    ["--aud", "did:web:svc.example.com", "--lxm", Self.method, "--aud-with-service"],
                ] {
                    let result = try await home.run(["service-token"] + arguments)
                    #expect(result.status == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }
    }
}
