import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite(
    "What is left of an account whose logout was killed",
    .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
struct LeftoverTests {
    @Test("is named, with the command that removes it")
    func logout() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]), ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let alice = try await home.logIn("alice.test")
        let killed = try await SystemCalls.run(
            ["logout", "alice.test", "--local-only"], in: home, injecting: "unlink:signal=KILL:when=1")
        #expect(killed.wasSignalled)
        let left = home.vault.appending(path: "workshop/gone-\(alice.id)").path
        #expect(FileManager.default.fileExists(atPath: left))

        let verified = try await home.succeed("vault", "verify", "--json")
        #expect(verified.json?["leftovers"] as? [String] == [left])
        #expect(verified.errors.contains("\(left) was left"), "\(verified.errors)")
        let checks = try await home.succeed("doctor", "--json").json?["checks"] as? [[String: Any]]
        let check = try #require(checks?.first { $0["name"] as? String == "leftovers" })
        #expect(check["verdict"] as? String == "warning")
        #expect(check["hint"] as? String == "bskyauth vault restore")

        let restored = try await home.succeed("vault", "restore", "--json")
        let results = restored.json?["results"] as? [[String: Any]]
        #expect(results?.map { $0["outcome"] as? String } == ["leftover_removed"])
        #expect(results?.map { $0["file"] as? String } == [left])
        #expect(!FileManager.default.fileExists(atPath: left))
        let again = try await home.succeed("vault", "verify", "--json")
        #expect(again.json?["leftovers"] as? [String] == [])
    }
}
