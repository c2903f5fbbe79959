import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The main job")
    struct MainJobTests {
        @Test("logs in through the pages, calls, and logs out", .covers("B19", "F3", "G3", "K4"))
        func mainJob() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let call = try await home.succeed("call", "com.atproto.server.getSession")
            #expect(call.json?["handle"] as? String == "alice.test")
            try await home.succeed("logout", "alice.test")
            #expect(try await home.accounts().isEmpty)
        }

        @Test(
            "runs with an authorization server on another host than the PDS",
            .covers("R51", "R84", "C1", "C15"))
        func entryway() async throws {
            let sandbox = try Sandbox(["--as-port", "0"])
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            #expect(alice.issuer != alice.pds)
            try await home.logIn("bob.test")
            try await home.succeed("refresh", "--force")
            let call = try await home.succeed("call", "com.atproto.server.getSession")
            #expect(call.json?["did"] as? String == alice.did)
            try await home.succeed("switch")
            try await home.succeed("call", "com.atproto.server.getSession")
            try await home.succeed("logout", "--all", "--yes")

            let requests = try await sandbox.requests()
            let proofs = requests.compactMap { request in request.proof.map { (request, $0.payload) } }
            for (request, payload) in proofs {
                let origin = request.role == "as" ? alice.issuer : alice.pds
                #expect(payload.htu == origin + request.path)
            }
            #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 1)
            let ended = requests.filter { $0.path == "/oauth/revoke" && $0.sessionEnded }.count
            #expect(ended == (ServerProfile.current.revokes ? 2 : 0))
            #expect(
                requests.filter { $0.path == "/xrpc/com.atproto.server.getSession" && $0.status == 200 }.count
                    == 2)
        }
    }
}
