import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Processes that spend each other's tokens.
@Suite("Refused tokens", .serialized) struct RefusedTokenTests {
    private static let call = "com.atproto.server.getSession"

    enum Front: String, CaseIterable, CustomTestStringConvertible {
        case commandLine = "the command line"
        case library = "the library"
        var testDescription: String { rawValue }
    }

    @Test(
        "no process says that a session has ended because others refresh it all the time",
        arguments: Front.allCases)
    func rounds(_ front: Front) async throws {
        let sandbox = try Sandbox(accounts: ["alice.test"])
        let home = try Home(sandbox)
        try await home.logIn("alice.test")
        try await home.succeed("call", Self.call)
        let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
        try await sandbox.resetJournal()
        let rounds = testRounds(testsAll ? 10 : 2)
        var busy = 0
        for round in 0..<rounds {
            try await sandbox.setFaults(Self.slowness())
            // Three processes at a time. A refresh that begins during another one adopts it, so they come one after the other.
            let results = try await withThrowingTaskGroup { group in
                for verb in ["call", "refresh", Bool.random() ? "call" : "refresh"] {
                    let lockTimeout = Int.random(in: 0..<4) == 0 ? "1s" : "60s"
                    group.addTask {
                        switch front {
                        case .commandLine:
                            let line = verb == "call" ? [verb, Self.call] : [verb, "--force"]
                            var results: [Program.Result] = []
                            for _ in 0..<3 {
                                results.append(try await home.run(line + ["--lock-timeout", lockTimeout]))
                            }
                            return results
                        case .library:
                            return [
                                try await Program.run(
                                    Paths.library, [sandbox.address, home.vault.path, key, verb, "3"],
                                    environment: home.environment)
                            ]
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            for result in results {
                // Constant refreshes may keep a command from its turn, which is no verdict.
                #expect([0, 75].contains(result.status), "round \(round): \(result.errors)")
            }
            busy +=
                front == .library
                ? results.reduce(0) { $0 + (Int($1.text.dropLast()) ?? 0) }
                : results.filter { $0.status == 75 }.count
        }
        try await sandbox.setFaults("[]")
        try await home.succeed("call", Self.call)
        let requests = try await sandbox.requests()
        #expect(!requests.contains { $0.sessionEnded } && busy < rounds * 9)
        let refused = requests.filter { $0.error == "invalid_token" }.count
        print("\(rounds) rounds: \(refused) tokens were refused, \(busy) commands had to give way")
    }

    /// Calls reach the server late, and the answers to refreshes come late.
    private static func slowness() -> String {
        let (calls, refreshes) = (Int.random(in: 0...2000), Int.random(in: 0...2000))
        return #"[{"match":{"path":"/xrpc/\#(call)"},"action":{"delay":"\#(calls)ms"}},"#
            + #"{"match":{"grant":"refresh_token"},"action":{"delay":"\#(refreshes)ms","when":"after"}}]"#
    }
}
