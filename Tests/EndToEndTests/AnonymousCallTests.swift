import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Calls without an account")
    struct AnonymousCallTests {
        private static let open = ["call", "--anonymous", "com.atproto.repo.describeRepo", "repo=alice.test"]

        @Test("need no vault and no key, and leave nothing behind", .covers("F4"))
        func noVault() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let call = try await home.run(Self.open)
            #expect(call.status == 0, "\(call.errors)")
            #expect(call.json?["handle"] as? String == "alice.test")
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.directory.path).isEmpty)
        }

        @Test("read no vault: one that is damaged and locked is not noticed, and not touched", .covers("F4"))
        func unreadVault() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            try Data("no header".utf8).write(to: home.vault.appending(path: "vault.json"))
            try FileManager.default.removeItem(at: home.directory.appending(path: "key"))
            let before = try home.vaultContent()
            #expect(!before.isEmpty)
            #expect(try await home.run("call", "com.atproto.server.getSession").status == 7)
            #expect(try await home.run(Self.open).status == 0)
            #expect(try home.vaultContent() == before)
        }

        @Test("send no credentials, though an account is active", .covers("F4"))
        func noCredentials() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let requests = try await sandbox.requests {
                let call = try await home.run(
                    "call", "--anonymous", "com.atproto.server.getSession", "--json",
                    environment: ["BSKYAUTH_ACCOUNT": "alice.test"])
                #expect(call.status == 10 && call.output.isEmpty)
                #expect(call.errorLine?.http == 401 && call.errorLine?.account == nil)
                #expect(call.errorLine?.hint == "this method needs an account: leave out --anonymous")
            }
            // The server knows of no Authorization header, and of no proof.
            #expect(requests.map(\.status) == [401])
            #expect(requests.allSatisfy { $0.auth == nil && $0.proof == nil && $0.account == nil })
        }

        @Test("go to the server that --host names, page by page too")
        func host() async throws {
            let near = try Sandbox()
            let far = try Sandbox(accounts: ["carol.test"])
            let home = try Home(near, key: [:])
            let nearby = try await near.requests {
                let requests = try await far.requests {
                    let call = try await home.run(
                        "call", "com.atproto.repo.listRecords", "repo=carol.test", "collection=a.b.c",
                        "--paginate", "--anonymous", "--host", far.address)
                    #expect(call.status == 0, "\(call.errors)")
                    #expect(call.json?["records"] as? [String] == [])
                }
                #expect(requests.map(\.status) == [200])
            }
            #expect(nearby.isEmpty)
        }

        @Test("go to the public server where nothing is named")
        func publicServer() async throws {
            let home = try Home(try Sandbox(), key: [:])
            // A proxy that is not there, so that no server is asked.
            let call = try await home.run(
                "call", "--anonymous", "app.bsky.actor.getProfile", "actor=bsky.app", "--json",
                environment: ["BSKYAUTH_DEV_NETWORK": "", "https_proxy": "http://127.0.0.1:1"])
            #expect(call.status == 12)
            #expect(call.errorLine?.message.contains("https://public.api.bsky.app/") == true)
        }

        @Test("are the only ones that go off the account's PDS")
        func foreignHost() async throws {
            let near = try Sandbox()
            let far = try Sandbox()
            let home = try Home(near)
            try await home.logIn("alice.test")
            let requests = try await far.requests {
                let refused = try await home.run(
                    "call", "com.atproto.server.getSession", "--host", far.address, "--json")
                #expect(refused.status == 64 && refused.errorLine?.code == "foreign_audience")
                #expect(refused.errorLine?.hint?.contains("--anonymous --host \(far.address)") == true)
            }
            #expect(requests.isEmpty)
            let own = try await home.run("call", "com.atproto.server.getSession", "--host", near.address)
            #expect(own.status == 0)
        }

        @Test("take no account, no proxying and no nonsense for a server")
        func usage() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox, key: [:])
            let requests = try await sandbox.requests {
                for arguments in [
                    ["-a", "alice.test"], ["--proxy", "did:web:api.bsky.app#bsky_appview"], ["--appview"],
                    ["--chat"],
                    ["--host", "example.com"], ["--host", sandbox.address + "/xrpc"],
                    ["--host", sandbox.address + "?a"], ["authorization:DPoP x"],
                ] {
                    let result = try await home.run(Self.open + arguments)
                    #expect(result.status == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }
    }
}
