import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Looking up an account")
    struct ResolveTests {
        private let sandbox: Sandbox
        /// No vault and no key.
        private let home: Home

        init() throws {
            sandbox = try Sandbox()
            home = try Home(sandbox, key: [:])
        }

        @Test("prints DID, handle, PDS and issuer, by handle and by DID, and makes no vault", .covers("R8"))
        func found() async throws {
            let byHandle = try await home.succeed("resolve", "@Alice.Test")
            let lines = byHandle.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.map(\.first) == ["did", "handle", "pds", "issuer"])
            let did = try #require(lines.first?.last)
            #expect(
                did.hasPrefix("did:plc:")
                    && lines.map(\.last)[1...] == ["alice.test", sandbox.address, sandbox.address])
            let byDID = try await home.succeed("resolve", did)
            #expect(byDID.text == byHandle.text)
            let json = try await home.succeed("resolve", did, "--json")
            #expect(json.json?["handle"] as? String == "alice.test")
            let document = try #require(json.json?["document"] as? [String: Any])
            #expect(document["id"] as? String == did && document["verificationMethod"] != nil)
            #expect(try await home.succeed("resolve", did, "--get", ".handle").text == "alice.test\n")
            #expect(!FileManager.default.fileExists(atPath: home.vault.path))
        }

        @Test("-v shows each step, where its answer came from and how long it took", .covers("R10"))
        func steps() async throws {
            let first = try await home.succeed("resolve", "alice.test", "-v")
            let did = try #require(first.text.firstMatch(of: /did:plc:[a-z2-7]{24}/)).output
            for path in [
                "/xrpc/com.atproto.identity.resolveHandle", "/" + did.replacing(":", with: "%3A"),
                "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server",
            ] {
                let line = first.errors.split(separator: "\n").first {
                    $0.hasPrefix("GET ") && $0.contains("\(path): 200 (")
                }
                #expect(line?.wholeMatch(of: /GET .*: 200 \(\d+ ms\)/) != nil, "\(path) \(first.errors)")
            }
            let again = try await home.succeed("resolve", "alice.test", "-v")
            #expect(again.errors.contains("cache: alice.test is \(did)\nGET "), "\(again.errors)")
            #expect(!again.errors.contains("cache: the DID document"))
            #expect(!again.errors.contains("resolveHandle") && again.text == first.text)
            let fresh = try await home.succeed("resolve", "alice.test", "-v", "--fresh")
            #expect(!fresh.errors.contains("cache: ") && fresh.errors.contains("resolveHandle"))
        }

        @Test("a DID whose handle leads elsewhere has none, and that is said", .covers("R9"))
        func invalidHandle() async throws {
            let alice = try await home.succeed("resolve", "alice.test", "--json")
            let did = try #require(alice.json?["did"] as? String)
            try await sandbox.setFaults(
                #"[{"match":{"role":"plc"},"action":{"amend":{"set":{"/alsoKnownAs":["at://bob.test"]}}}}]"#)
            let result = try await home.succeed("resolve", did, "--fresh")
            #expect(result.text.contains("handle  handle.invalid\n"), "\(result.text)")
            #expect(result.errors.contains("claims the handle bob.test, which does not lead to this DID"))
            let json = try await home.succeed("resolve", did, "--json")
            #expect(json.json?["handle"] is NSNull)
        }

        @Test("a service of --resolver is not asked: its answers prove nothing")
        func shortcut() async throws {
            let result = try await home.succeed(
                "resolve", "alice.test", "-v", "--resolver", "slingshot=\(sandbox.address)")
            #expect(!result.errors.contains("resolveMiniDoc"), "\(result.errors)")
            #expect(try await home.run("resolve", "alice.test", "--resolver", "nonsense").status == 64)
        }

        @Test("takes a handle or a DID and nothing else")
        func usage() async throws {
            let requests = try await sandbox.requests {
                for name in ["alice", "", "https://pds.example.com", "did:key:z6", "did:plc:x"] {
                    let result = try await home.run("resolve", name)
                    #expect(result.status == 64 && result.output.isEmpty, "\(name): \(result.errors)")
                }
                #expect(try await home.run("resolve").status == 64)
            }
            #expect(requests.isEmpty)
        }

        @Test("whoami is accounts current")
        func whoami() async throws {
            let home = try Home(sandbox)
            let nobody = try await home.run("whoami")
            #expect(nobody.status == 4)
            try await home.logIn("alice.test", "--label", "work")
            for options in [[], ["--json"], ["-a", "work"], ["--get", ".account.did"]] {
                let whoami = try await home.run(["whoami"] + options)
                let current = try await home.run(["accounts", "current"] + options)
                #expect(whoami.status == 0 && !whoami.output.isEmpty)
                #expect(whoami.text == current.text && whoami.errors == current.errors, "\(options)")
            }
        }
    }
}
