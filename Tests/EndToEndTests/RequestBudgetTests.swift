import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The request budget")
    struct RequestBudgetTests {
        private static let call = "GET /xrpc/com.atproto.server.getSession"

        @Test("a warm call is one request", .covers("B10"))
        func warm() async throws {
            let (sandbox, home) = try await loggedIn()
            try await home.succeed("call", "com.atproto.server.getSession")
            let requests = try await sandbox.requests {
                try await home.succeed("call", "com.atproto.server.getSession")
            }
            #expect(requests.map(\.line) == [Self.call])
        }

        @Test(
            "a call with a stale nonce is two requests, and the next one is warm",
            .covers("R61", "13.2", "B20"),
            .enabled(if: ServerProfile.current.asksForNonces, "without nonces there is no stale one"))
        func staleNonce() async throws {
            let (sandbox, home) = try await loggedIn("--nonce-rotation", "20s")
            try await home.succeed("call", "com.atproto.server.getSession")
            try await sandbox.advanceClock("90s")
            let stale = try await sandbox.requests {
                try await home.succeed("call", "com.atproto.server.getSession")
            }
            #expect(stale.map(\.line) == [Self.call, Self.call])
            #expect(stale.map(\.isNonceChallenge) == [true, false])
            let next = try await sandbox.requests {
                try await home.succeed("call", "com.atproto.server.getSession")
            }
            #expect(next.map(\.line) == [Self.call])
        }

        @Test(
            "a long upload without a nonce is a short request for one and the upload; the next is warm",
            .enabled(if: ServerProfile.current.asksForNonces, "a server without nonces is asked each time"))
        func upload() async throws {
            let (sandbox, home) = try await loggedIn()
            let file = home.directory.appending(path: "blob")
            try Data.random(count: 65_536).write(to: file)
            let upload = "com.atproto.repo.uploadBlob"
            for expected in [[Self.call, "POST /xrpc/\(upload)"], ["POST /xrpc/\(upload)"]] {
                let requests = try await sandbox.requests {
                    try await home.succeed(
                        "call", upload, "--content-type", "image/png", "--input", file.path)
                }
                #expect(requests.map(\.line) == expected)
                #expect(requests.last?.status == 200)
            }
        }

        @Test("a refresh soon after the issuer was verified is one token request")
        func refresh() async throws {
            let (sandbox, home) = try await loggedIn()
            let requests = try await sandbox.requests { try await home.succeed("refresh", "--force") }
            #expect(requests.map(\.line) == ["POST /oauth/token"])
            #expect(requests.map(\.consumed) == [true])
        }

        @Test(
            "a refresh with a stale nonce is two token requests, of which one spends the grant",
            .covers("B9"),
            .enabled(if: ServerProfile.current.asksForNonces, "without nonces there is no stale one"))
        func refreshWithStaleNonce() async throws {
            let (sandbox, home) = try await loggedIn("--nonce-rotation", "20s")
            try await sandbox.advanceClock("90s")
            let requests = try await sandbox.requests { try await home.succeed("refresh", "--force") }
            #expect(requests.map(\.line) == ["POST /oauth/token", "POST /oauth/token"])
            #expect(requests.map(\.consumed) == [false, true])
        }

        @Test("a refresh without a recent check of the issuer checks it, then spends one grant")
        func issuerCheck() async throws {
            let (sandbox, home) = try await loggedIn()
            let alice = try #require(try await home.active())
            try forgetIssuer(in: home.sessionCache(of: alice))
            let requests = try await sandbox.requests { try await home.succeed("refresh", "--force") }
            let document = "GET /" + alice.did.replacing(":", with: "%3A")
            #expect(
                requests.map(\.line) == [
                    document, "GET /.well-known/oauth-protected-resource",
                    "GET /.well-known/oauth-authorization-server", "POST /oauth/token",
                ])
            let next = try await sandbox.requests { try await home.succeed("refresh", "--force") }
            #expect(next.map(\.line) == ["POST /oauth/token"])
        }

        @Test("a refresh of many asks a server once what it says of itself, and each account's document")
        func manyAtOneServer() async throws {
            let (sandbox, home) = try await loggedIn()
            try await home.logIn("bob.test")
            try FileManager.default.removeItem(at: home.directory.appending(path: "cache"))
            let requests = try await sandbox.requests {
                try await home.succeed("refresh", "--all", "--force", "--jobs", "1")
            }
            #expect(requests.filter { $0.line.hasPrefix("GET /did") }.count == 2)
            let metadata = requests.map(\.line).filter { $0.hasPrefix("GET /.well-known/") }
            #expect(
                metadata == [
                    "GET /.well-known/oauth-protected-resource",
                    "GET /.well-known/oauth-authorization-server",
                ])
            #expect(requests.filter(\.consumed).count == 2)
        }

        @Test("an account keeps its handle when it is refreshed while no handle can be looked up")
        func handleOutage() async throws {
            let (sandbox, home) = try await loggedIn()
            let alice = try #require(try await home.active())
            try forgetIssuer(in: home.sessionCache(of: alice))
            try await sandbox.setFaults(
                Faults.answer("com.atproto.identity.resolveHandle", 500, body: #""outage""#))
            try await home.succeed("refresh", "--force", "alice.test")
            #expect(try await home.active()?.handle == "alice.test")
            try await home.succeed("call", "-a", "alice.test", "com.atproto.server.getSession")
        }

        @Test("a call whose token has ended makes one refresh and one call", .covers("B12", "H1"))
        func endedToken() async throws {
            let (sandbox, home) = try await loggedIn(loginFault: Faults.tokenEndsAtOnce)
            try await sandbox.setFaults("[]")
            let requests = try await sandbox.requests {
                try await home.succeed("call", "com.atproto.server.getSession")
            }
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(requests.filter { $0.line == Self.call && $0.status == 200 }.count == 1)
            #expect(requests.filter { !$0.isNonceChallenge }.map(\.line) == ["POST /oauth/token", Self.call])
        }

        @Test(
            "a call whose token has ended by the server's clock only is refused, refreshed and sent again",
            .covers("B12", "C13"))
        func endedAtServer() async throws {
            let (sandbox, home) = try await loggedIn("--access-token-ttl", "10m")
            try await sandbox.advanceClock("11m")
            let requests = try await sandbox.requests {
                try await home.succeed("call", "com.atproto.server.getSession")
            }
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(requests.filter { $0.line == Self.call && $0.status == 200 }.count == 1)
            #expect(requests.filter { $0.error == ServerProfile.current.refusedToken }.count == 1)
        }

        @Test(
            "a call whose token another process has replaced takes the new one from the vault",
            .covers("R66b"))
        func replacedToken() async throws {
            let (sandbox, home) = try await loggedIn()
            try await home.succeed("call", "com.atproto.server.getSession")
            // The refusal is on its way for as long as another process needs to replace the token.
            try await sandbox.setFaults(Faults.slowRefusal(of: "com.atproto.server.getSession"))
            try await sandbox.resetJournal()
            let call = try home.start("call", "com.atproto.server.getSession")
            try await sandbox.waitForRequest { $0.line == Self.call }
            try await home.succeed("refresh", "--force")
            let result = try await call.result()
            #expect(result.status == 0, "\(result.errors)")
            let requests = try await sandbox.requests()
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            #expect(requests.filter { $0.line == Self.call }.map(\.status) == [401, 200])
        }

        @Test("listing and switching ask nobody", .covers("B23", "G5", "G8"))
        func offline() async throws {
            let (sandbox, home) = try await loggedIn()
            try await home.logIn("bob.test")
            let requests = try await sandbox.requests {
                try await home.succeed("accounts")
                try await home.succeed("accounts", "current")
                try await home.succeed("accounts", "show", "bob.test")
                try await home.succeed("switch", "bob.test")
                try await home.succeed("switch", "-")
                try await home.succeed("accounts", "rename", "bob.test", "robert")
            }
            #expect(requests.isEmpty)
        }

        private func loggedIn(
            _ options: String..., loginFault: String? = nil
        ) async throws -> (Sandbox, Home) {
            let sandbox = try Sandbox(options)
            let home = try Home(sandbox)
            if let loginFault { try await sandbox.setFaults(loginFault) }
            try await home.logIn("alice.test")
            return (sandbox, home)
        }

        /// Removes the last check of the issuer from a cache, as after ten minutes. Its date can't be changed: the vault
        /// has sealed it.
        private func forgetIssuer(in cache: URL) throws {
            let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: cache))
            var members = try #require(json as? [String: Any])
            try #require(members.removeValue(forKey: "verification") != nil)
            try JSONSerialization.data(withJSONObject: members).write(to: cache)
        }
    }
}
