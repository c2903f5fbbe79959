import Foundation
import Testing

@testable import SandboxNetwork

@Suite("bskyauth-sandbox serve")
struct ServeTests {
    @Test("writes the export line once it listens, to stdout and the file, and exits 0 on SIGTERM")
    func serves() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID().uuidString).env")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = SandboxProcess(["serve", "--env-file", file.path(), "--account", "zoe.test:secret"])
        var lines = process.lines.makeAsyncIterator()
        let line = try #require(await lines.next())
        #expect(line.hasPrefix("export BSKYAUTH_DEV_NETWORK=http://127.0.0.1:"))
        #expect(try String(contentsOf: file, encoding: .utf8) == line + "\n")
        let sandbox = RunningSandbox(origin: String(line.split(separator: "=")[1]))
        let accounts = try await sandbox.get("/_sandbox/accounts").json["accounts"]?.array
        #expect(accounts?.map { $0["handle"] } == ["zoe.test"])
        process.terminate()
        #expect(try await process.status() == 0)
        #expect(await lines.next() == nil)
    }

    @Test("--app-password opens a session by password")
    func appPassword() async throws {
        let process = SandboxProcess(["serve", "--app-password", "Bob.test:abcd-efgh-ijkl-mnop"])
        var lines = process.lines.makeAsyncIterator()
        let origin = String(try #require(await lines.next()).split(separator: "=")[1])
        let client = PasswordClient(sandbox: RunningSandbox(origin: origin))
        #expect(try await client.create("bob.test", "abcd-efgh-ijkl-mnop").status == 200)
        #expect(try await client.create("alice.test", "abcd-efgh-ijkl-mnop").status == 401)
        process.terminate()
        #expect(try await process.status() == 0)
    }

    @Test("--profile plays another server")
    func profile() async throws {
        let process = SandboxProcess(["serve", "--profile", "cirrus"])
        var lines = process.lines.makeAsyncIterator()
        let sandbox = RunningSandbox(
            origin: String(try #require(await lines.next()).split(separator: "=")[1]))
        let metadata = try await sandbox.get("/.well-known/oauth-authorization-server").json
        #expect(metadata["issuer"] == .string(sandbox.origin))
        #expect(metadata["revocation_endpoint"] == nil)
        process.terminate()
        #expect(try await process.status() == 0)
    }

    @Test("exits 0 on SIGINT, even while a client hangs on an answer")
    func interrupted() async throws {
        let process = SandboxProcess(["serve", "--access-token-ttl", "30s", "--nonce-rotation", "5s"])
        var lines = process.lines.makeAsyncIterator()
        let sandbox = RunningSandbox(
            origin: String(try #require(await lines.next()).split(separator: "=")[1]))
        try await sandbox.setFaults([["action": ["delay": "1h", "when": "after"]]])
        let hanging = Task { try await sandbox.get("/oauth/jwks") }
        while try await sandbox.journal().isEmpty { await Task.yield() }
        process.interrupt()
        #expect(try await process.status() == 0)
        await #expect(throws: WireClient.ConnectionEnded.self) { _ = try await hanging.value }
    }

    @Test("the entryway layout: two origins, each answers for itself", .covers("R84", "C15"))
    func entryway() async throws {
        let process = SandboxProcess(["serve", "--as-port", "0", "--auto-approve"])
        var lines = process.lines.makeAsyncIterator()
        let main = RunningSandbox(origin: String(try #require(await lines.next()).split(separator: "=")[1]))
        let resource = try await main.get("/.well-known/oauth-protected-resource").json
        #expect(resource["resource"] == .string(main.origin))
        let issuer = try #require(resource["authorization_servers"]?.array?.first?.string)
        #expect(issuer != main.origin)
        let entryway = RunningSandbox(origin: issuer)
        #expect(
            try await entryway.get("/.well-known/oauth-authorization-server").json["issuer"]
                == .string(issuer))
        #expect(try await main.get("/.well-known/oauth-authorization-server").status == 404)
        #expect(try await entryway.get("/.well-known/oauth-protected-resource").status == 404)
        process.terminate()
        #expect(try await process.status() == 0)
    }

    @Test("names of their own on one port do not answer for each other")
    func namedOrigins() async throws {
        try await withSandbox({ configuration in
            configuration.origins = [
                .authorizationServer: "https://entry.example", .personalDataServer: "https://pds.example",
            ]
        }) { sandbox in
            let metadata = "/.well-known/oauth-authorization-server"
            let entry = try await sandbox.get(metadata, headers: [("host", "entry.example")])
            #expect(entry.json["issuer"] == "https://entry.example")
            #expect(try await sandbox.get(metadata, headers: [("host", "pds.example")]).status == 404)
        }
    }

    @Test(
        "bad arguments exit 64",
        arguments: [
            ["serve", "--access-token-ttl", "soon"], ["serve", "--origin", "rs=http://x"],
            ["serve", "--tls-cert", "x"], ["serve", "--app-password", "alice.test:short"],
            ["serve", "--profile", "millipds"],
            ["serve", "--app-password", "nobody.test:abcd-efgh-ijkl-mnop"],
        ])
    func badArguments(arguments: [String]) async throws {
        let process = SandboxProcess(arguments)
        #expect(try await process.status() == 64)
    }
}
