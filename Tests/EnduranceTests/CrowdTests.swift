import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Many processes at once.
@Suite("Crowds", .serialized, .fewAtOnce)
struct CrowdTests {
    private static let handles = (1...5).map { "user\($0).test" }

    /// A home with five accounts.
    ///
    /// - Parameter seconds: how long the program is told that their access tokens live; nil for as long as they do.
    private static func home(tokenLife seconds: Int? = nil, _ options: String...) async throws -> Home {
        let sandbox = try Sandbox(accounts: handles, ["--auto-approve"] + options)
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        if let seconds {
            let life = #"{"amend":{"set":{"/expires_in":\#(seconds)}}}"#
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"action":\#(life)}]"#)
        }
        for handle in handles { try await home.logIn(handle) }
        try await sandbox.resetJournal()
        return home
    }

    /// Calls of all accounts in turn at once, each answered for its own.
    private static func call(_ times: Int, in home: Home) async throws {
        let calls = try (0..<times).map { number in
            try home.start(
                "call", "-a", handles[number % 5], "--lock-timeout", "120s", "com.atproto.server.getSession")
        }
        for (number, call) in calls.enumerated() {
            let result = try await call.result()
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.json?["handle"] as? String == handles[number % 5])
        }
    }

    @Test("fifty calls with five ended tokens spend five grants, and all succeed", .covers("G8"))
    func fifty() async throws {
        let home = try await Self.home(tokenLife: 0)
        // The tokens that come now live.
        try await home.sandbox.setFaults("[]")
        try await Self.call(50, in: home)
        let requests = try await home.sandbox.requests()
        #expect(requests.filter { $0.isRefresh && $0.consumed }.count == 5)
        #expect(!requests.contains { $0.sessionEnded })
    }

    @Test("thirty calls with five tokens that only the server knows to have ended spend five grants as well")
    func endedAtServer() async throws {
        let home = try await Self.home("--access-token-ttl", "10m")
        try await home.sandbox.advanceClock("11m")
        try await Self.call(30, in: home)
        let requests = try await home.sandbox.requests()
        let refused = requests.filter { $0.error == ServerProfile.current.refusedToken }
        #expect(Set(refused.compactMap(\.jkt)).count == 5)
        let spent = requests.filter { $0.isRefresh && $0.consumed }.compactMap(\.account)
        #expect(spent.count == 5 && Set(spent).count == 5)
        #expect(!requests.contains { $0.sessionEnded })
    }

    @Test(
        "callers beside a refresh of all, with tokens of seconds, and nobody is ever refused",
        .covers("H1", "H4", "H9"))
    func beside() async throws {
        let (life, length) = testsAll ? (30, 60) : (6, 8)
        let home = try await Self.home(tokenLife: life)
        let end = ContinuousClock.now + .seconds(length)
        let runs = try await withThrowingTaskGroup(of: Int.self) { group in
            for handle in Self.handles {
                group.addTask {
                    try await Self.loop(home, until: end) {
                        ["call", "-a", handle, "--lock-timeout", "60s", "com.atproto.server.getSession"]
                    }
                }
            }
            group.addTask {
                try await Self.loop(home, until: end) {
                    ["refresh", "--all", "--lock-timeout", "60s"]
                }
            }
            return try await group.reduce(0, +)
        }
        let requests = try await home.sandbox.requests()
        let refreshes = requests.filter { $0.isRefresh && !$0.isNonceChallenge }
        #expect(refreshes.count >= Self.handles.count && refreshes.allSatisfy { $0.consumed })
        #expect(!requests.contains { $0.sessionEnded })
        print("\(runs) commands in \(length) s spent \(refreshes.count) grants, each once")
    }

    /// Runs a command over and over; each has to succeed.
    private static func loop(
        _ home: Home, until end: ContinuousClock.Instant, _ arguments: () -> [String]
    ) async throws -> Int {
        var count = 0
        while ContinuousClock.now < end {
            let result = try await home.run(arguments())
            #expect(result.status == 0, "\(result.errors)")
            count += 1
        }
        return count
    }

    @Test("an answer that takes longer than others will wait is still the one that counts")
    func slowAnswer() async throws {
        let home = try await Self.home(tokenLife: 0)
        try await home.sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"},"action":{"delay":"4s","when":"after"}}]"#)
        // Without a keeper, the message names the process of the command.
        let slow = try home.start(
            "refresh", "-a", Self.handles[0], "--json", environment: ["BSKYAUTH_NO_KEEPER": "1"])
        try await Self.until { try await home.sandbox.requests().contains { $0.isRefresh } }
        let hasty = try await home.run(
            "call", "-a", Self.handles[0], "--lock-timeout", "1s", "--json", "com.atproto.server.getSession")
        #expect(hasty.status == 75)
        #expect(hasty.errorLine?.message.contains("\(slow.processIdentifier)") == true, "\(hasty.errors)")
        #expect(try await slow.result().status == 0)
        try await home.sandbox.setFaults("[]")
        let call = try await home.run("call", "-a", Self.handles[0], "com.atproto.server.getSession")
        #expect(call.status == 0, "\(call.errors)")
        #expect(!(try await home.sandbox.requests()).contains { $0.sessionEnded })
    }

    /// Asks the sandbox until it says so.
    private static func until(_ condition: () async throws -> Bool) async throws {
        while try !(await condition()) { await Task.yield() }
    }
}
