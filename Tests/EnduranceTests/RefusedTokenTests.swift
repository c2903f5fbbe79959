import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Processes that spend each other's tokens.
@Suite("Refused tokens", .serialized) struct RefusedTokenTests {
    private static let call = "com.atproto.server.getSession"

    @Test("no command says that a session has ended because others refresh it all the time")
    func rounds() async throws {
        let sandbox = try Sandbox(accounts: ["alice.test"])
        let home = try Home(sandbox)
        try await home.logIn("alice.test")
        try await home.succeed("call", Self.call)
        try await sandbox.resetJournal()
        let rounds = testRounds(testsAll ? 10 : 2)
        var busy = 0
        for round in 0..<rounds {
            try await sandbox.setFaults(Self.slowness())
            // Three processes at a time. A refresh that begins during another one adopts it, so they come one after the other.
            let results = try await withThrowingTaskGroup { group in
                for line in [["call", Self.call], ["refresh", "--force"], Self.anyLine()] {
                    let lockTimeout = ["--lock-timeout", Int.random(in: 0..<4) == 0 ? "1s" : "60s"]
                    group.addTask {
                        var results: [Program.Result] = []
                        for _ in 0..<3 { results.append(try await home.run(line + lockTimeout)) }
                        return results
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            for result in results {
                // Constant refreshes may keep a command from its turn, which is no verdict.
                #expect([0, 75].contains(result.status), "round \(round): \(result.errors)")
            }
            busy += results.filter { $0.status == 75 }.count
        }
        try await sandbox.setFaults("[]")
        try await home.succeed("call", Self.call)
        let requests = try await sandbox.requests()
        #expect(!requests.contains { $0.sessionEnded })
        let refused = requests.filter { $0.error == "invalid_token" }.count
        print("\(rounds) rounds: \(refused) tokens were refused, \(busy) commands had to give way")
    }

    private static func anyLine() -> [String] {
        Bool.random() ? ["call", call] : ["refresh", "--force"]
    }

    /// Calls reach the server late, and the answers to refreshes come late.
    private static func slowness() -> String {
        let (calls, refreshes) = (Int.random(in: 0...2000), Int.random(in: 0...2000))
        return #"[{"match":{"path":"/xrpc/\#(call)"},"action":{"delay":"\#(calls)ms"}},"#
            + #"{"match":{"grant":"refresh_token"},"action":{"delay":"\#(refreshes)ms","when":"after"}}]"#
    }
}
