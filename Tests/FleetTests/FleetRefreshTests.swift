import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Many processes on several machines that need a newer token at once.
@Suite("A fleet", .serialized, .timeLimit(.minutes(60))) struct FleetRefreshTests {
    /// Commands of several machines at once, each of which succeeds.
    private func succeed(_ lines: [(Home, [String])]) async throws {
        let running = try lines.map { home, line in
            try Program.Running(
                Paths.program, line, environment: home.environment, directory: home.directory)
        }
        for process in running {
            let result = try await process.result()
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test("of three machines with twenty processes each spends an ended token once") func once() async throws
    {
        let fleet = try await Fleet(sandbox: ["--access-token-ttl", "10m"])
        let machines = [fleet.first, try await fleet.machine("second"), try await fleet.machine("third")]
        for _ in 0..<testRounds(3) {
            try await fleet.sandbox.resetJournal()
            try await fleet.sandbox.advanceClock("11m")
            try await succeed(
                machines.flatMap { machine in
                    (0..<20).map { _ in (machine, call + ["--lock-timeout", "120s"]) }
                })
            let grants = try await fleet.grants()
            #expect(grants.count == 1)
            let others = try await fleet.sandbox.requests().filter { $0.isRefresh && !$0.consumed }
            #expect(others.filter { !$0.isNonceChallenge && !$0.isClockChallenge }.map(\.error) == [])
        }
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("sends no refresh with a libcurl that can't check when it goes out") func deadline() async throws {
        let fleet = try await Fleet()
        let libcurl = try await RefusingLibcurl(in: fleet.first)
        let refresh = try await fleet.first.run(
            "refresh", "--force", environment: libcurl.environment(refusing: "PREREQFUNCTION"))
        #expect(refresh.status != 0, "\(refresh.errors)")
        #expect(refresh.errors.contains("it refuses CURLOPT_PREREQFUNCTION"), "\(refresh.errors)")
        #expect(try await !fleet.sandbox.requests().contains(where: \.isRefresh))
        try await fleet.first.succeed("refresh", "--force")
    }

    @Test("that refreshes all its accounts on three machines at once spends each token once")
    func all() async throws {
        let count = testAccounts(12)
        let handles = (1...count).map { "user\($0).test" }
        let fleet = try await Fleet(accounts: handles, hasEndedTokens: true)
        let machines = [fleet.first, try await fleet.machine("second"), try await fleet.machine("third")]
        try await succeed(machines.map { ($0, ["refresh", "--all", "--lock-timeout", "300s"]) })
        let accounts = try await fleet.grants().compactMap(\.account)
        #expect(accounts.count == count && Set(accounts).count == count)
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("with clocks an hour apart works as one with the same clock", .enabled(if: Later.isPossible))
    func clocks() async throws {
        let fleet = try await Fleet()
        let late = try await fleet.machine("late")
        for _ in 0..<3 {
            try await late.succeed("refresh", "--force", "alice.test", environment: Later.anHour)
            try await fleet.first.succeed("vault", "flush")
            try await fleet.first.succeed("refresh", "--force", "alice.test")
        }
        #expect(try await !fleet.hasEndedSession())
    }
}
