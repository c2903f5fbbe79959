import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// A directory whose reading fails is not one that ends there.
@Suite(
    "Directories that can't be read", .serialized, .fewAtOnce,
    .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
struct DirectoryTests {
    private static let handles = ["alice.test", "bob.test"]

    private let home: Home

    init() async throws {
        home = try Home(try Sandbox(["--auto-approve"]), ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        for handle in Self.handles { try await home.logIn(handle) }
    }

    @Test(
        "no account is passed over where they can't be listed",
        arguments: [["accounts"], ["logout", "--all", "-y"], ["vault", "rekey"]])
    func listing(command: [String]) async throws {
        let before = try home.vaultContent()
        let (result, _) = try await SystemCalls.failing(
            command + ["--json"], in: home, injecting: "getdents64:error=EIO")
        #expect(result.status == 1 && result.errorLine?.code == "io", "\(result.errors)")
        #expect(result.output.isEmpty, "\(result.text)")
        #expect(try home.vaultContent() == before)
    }

    @Test("a change of the vault key stops at each of them, and the next one finishes it")
    func rekey() async throws {
        var number = 0
        while true {
            number += 1
            let (result, didFail) = try await SystemCalls.failing(
                ["vault", "rekey", "--json"], in: home, injecting: "getdents64:error=EIO:when=\(number)")
            guard didFail else { break }
            #expect(result.status == 1 && result.errorLine?.code == "io", "\(number): \(result.errors)")
            try await home.succeed("vault", "verify")
            try await home.succeed("vault", "rekey")
            let status = try await home.succeed("vault", "status", "--json").json
            #expect(status?["rekeying"] as? Bool == false)
            for handle in Self.handles { try await home.succeed("accounts", "show", handle) }
        }
        #expect(number > 10)
    }
}
