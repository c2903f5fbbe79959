import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What one process found out about names, and what the next one makes of it.
    @Suite("The identity cache")
    struct IdentityCacheTests {
        private static let handle = "GET /xrpc/com.atproto.identity.resolveHandle"
        private static let exchange = "POST /oauth/token"

        private func files(of home: Home) throws -> [URL] {
            try FileManager.default.contentsOfDirectory(
                at: home.identityCache, includingPropertiesForKeys: nil)
        }

        private func permissions(_ file: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }

        /// The requests about names before and after the tokens were asked for.
        private func lookups(_ requests: [JournalRequest], _ account: Account) throws -> (Int, Int) {
            let document = "GET /" + account.did.replacing(":", with: "%3A")
            let exchange = try #require(requests.firstIndex { $0.line == Self.exchange })
            let places = requests.indices.filter { [Self.handle, document].contains(requests[$0].line) }
            return (places.filter { $0 < exchange }.count, places.filter { $0 > exchange }.count)
        }

        @Test(
            "a second login asks for the document, which may name another server, and remembers the DID of the handle",
            .covers("R10"))
        func secondProcess() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            #expect(try lookups(try await sandbox.requests(), alice) == (2, 2))
            let requests = try await sandbox.requests {
                try await home.succeed("login", "alice.test", "--label", "again")
            }
            #expect(try lookups(requests, alice) == (1, 2))

            #expect(try permissions(home.identityCache) == 0o700)
            let files = try files(of: home)
            #expect(files.count == 2)
            for file in files { #expect(try permissions(file) == 0o600) }
        }

        @Test(
            "a handle that nobody has is asked for each time, because it may be made meanwhile",
            .covers("R10"),
            .enabled(if: ServerProfile.current.knowsUnknownHandles, "the server fails at unknown handles"))
        func absence() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            for command in [
                ["login", "nobody.test"], ["login", "nobody.test"], ["resolve", "nobody.test"],
            ] {
                let requests = try await sandbox.requests {
                    let result = try await home.run(command)
                    #expect(result.status == 6)
                }
                #expect(requests.map(\.line) == [Self.handle])
            }
            try await sandbox.setFaults(
                Faults.answer("com.atproto.identity.resolveHandle", 500, body: #""outage""#))
            for _ in 1...2 {
                let requests = try await sandbox.requests {
                    let result = try await home.run("login", "alice.test")
                    #expect(result.status == 12)
                }
                #expect(requests.map(\.line) == [Self.handle])
            }
            try await sandbox.setFaults("[]")
            try await home.logIn("alice.test")
        }

        @Test(
            "what one network said is not believed on another",
            .enabled(if: ServerProfile.current.knowsUnknownHandles, "the server fails at unknown handles"))
        func otherNetwork() async throws {
            let home = try Home(try Sandbox(accounts: ["bob.test"]))
            #expect(try await home.run("login", "alice.test").status == 6)
            let other = try Sandbox()
            try await home.succeed(
                "login", "alice.test", environment: ["BSKYAUTH_DEV_NETWORK": other.address])
        }

        @Test("a cache that can't be read or written costs requests and nothing else")
        func broken() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            for file in try files(of: home) { try Data("{\"entry\":".utf8).write(to: file) }
            var requests = try await sandbox.requests { try await home.logIn("alice.test") }
            #expect(try lookups(requests, alice) == (2, 2))
            try home.forgetIdentities()
            try Data().write(to: home.identityCache)
            requests = try await sandbox.requests { try await home.logIn("alice.test") }
            #expect(try lookups(requests, alice) == (2, 2))
        }

        @Test("nothing of an account stays in the caches when it is logged out")
        func logout() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try await home.succeed("logout", "alice.test", "--yes")
            #expect(try files(of: home).isEmpty)
        }
    }
}
