import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// `kill -9` of a machine's command at every step of a refresh. The sandbox says which tokens were spent. Then the account works
/// on each machine, or the loss is named.
@Suite("A machine of a fleet that is killed", .serialized, .timeLimit(.minutes(60))) struct FleetKillTests {
    private let fleet: Fleet
    private let victim: Home

    init() async throws {
        fleet = try await Fleet()
        victim = try await fleet.machine("victim")
    }

    /// What is left after a kill.
    private struct Losses {
        var kills = 0
        var lost = 0
    }

    @Test(
        "loses only what the server took and nobody heard of, and its next command finishes the rest",
        .enabled(if: SystemCalls.isPossible && Later.isPossible))
    func killed() async throws {
        try await victim.succeed("refresh", "--force", "alice.test")
        let counts = try await SystemCalls.counts(of: ["refresh", "--force", "alice.test"], in: victim)
        for name in ["pwrite64", "fsync", "renameat", "sendto"] {
            #expect(counts[name, default: 0] > 0, "\(name) of \(counts)")
        }
        var (losses, rounds) = (Losses(), 0)
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in 1...count {
                rounds += 1
                // With the newest session here, a refresh sends its token.
                try await victim.succeed("vault", "flush")
                try await fleet.sandbox.resetJournal()
                let result = try await SystemCalls.run(
                    ["refresh", "--force", "alice.test"], in: victim,
                    injecting: "\(name):signal=KILL:when=\(number)")
                #expect(result.wasSignalled || result.status == 0, "\(name) \(number): \(result.errors)")
                if result.wasSignalled { losses.kills += 1 }
                try await check("\(name) \(number)", &losses)
            }
        }
        // strace counts the calls of each thread by themselves, so the last numbers are not reached.
        #expect(losses.kills > rounds / 2)
        // Some kills fall after the server's answer and before the disk has it.
        #expect(losses.lost > 0)
        print(
            "killed at \(losses.kills) system calls: \(losses.lost) fell between the server's commit and our record"
        )
    }

    /// Finds the current token, or that its loss is named.
    private func check(_ place: String, _ losses: inout Losses) async throws {
        // A refresh that got no answer is looked into when no answer can come any more: two minutes later.
        let own = try await victim.run(
            "refresh", "--force", "--json", "--lock-timeout", "60s", "alice.test",
            environment: Later.twoMinutes)
        let other = try await fleet.first.run(call + ["--json"])
        if own.status == 0 {
            #expect(other.status == 0, "\(place): \(other.errors)")
            let next = try await fleet.first.run("refresh", "--force", "--json", "alice.test")
            #expect(next.status == 0, "\(place): \(next.errors)")
            #expect(try await !fleet.hasEndedSession(), "\(place)")
            return
        }
        #expect(own.refusal == Refusal(status: 4, code: "lost_rotation"), "\(place): \(own.errors)")
        #expect(try await fleet.grants().count == 1, "\(place)")
        let refused = try await fleet.first.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 4, code: "lost_rotation"), "\(place): \(refused.errors)")
        losses.lost += 1
        try await victim.logIn("alice.test")
        #expect(try await fleet.first.run("refresh", "--force", "alice.test").status == 0)
    }

    @Test("does not send what it claimed long ago", .enabled(if: SystemCalls.isPossible && FleetStore.isEtcd))
    func stopped() async throws {
        let refresh = ["refresh", "--force", "--json", "alice.test"]
        try await victim.succeed("refresh", "--force", "alice.test")
        // After the claim, the machine notes on its disk that the token may be sent.
        let mark = try #require(
            try await SystemCalls.number(
                of: "fsync", after: "sendto", with: "POST /v3/kv/txn", in: refresh, of: victim))
        try await fleet.sandbox.resetJournal()
        // It stands still there for longer than the 20 seconds that it has.
        let late = try await SystemCalls.run(
            refresh, in: victim, injecting: "fsync:delay_enter=21s:when=\(mark)")
        #expect(late.refusal == Refusal(status: 12, code: "timed_out"), "\(late.errors)")
        #expect(try await fleet.sandbox.requests().filter(\.isRefresh).isEmpty)
        // The claim was withdrawn, so no machine waits for it.
        try await fleet.first.succeed("vault", "flush")
        try await fleet.first.succeed("refresh", "--force", "alice.test", "--lock-timeout", "0s")
        #expect(try await fleet.grants().count == 1)
    }

    @Test("and never returns is forgotten, and the others go on", .enabled(if: Later.isPossible))
    func forgotten() async throws {
        try await hold { running in running.signal(SIGKILL) }
        let waiting = try await fleet.first.run(
            "refresh", "--force", "--json", "alice.test", "--lock-timeout", "0s")
        #expect(waiting.refusal == Refusal(status: 75, code: "claimed"), "\(waiting.errors)")
        #expect(waiting.errorLine?.hint == "on victim, run: bskyauth vault flush")
        let unfinished = try await fleet.first.succeed("vault", "machines", "--json").text
        #expect(unfinished.contains("\"unfinished\":[\""), "\(unfinished)")
        // The server had taken the token, and only the victim could have heard of it.
        try await fleet.first.succeed("vault", "machines", "forget", "--yes", "victim")
        let lost = try await fleet.first.run("refresh", "--force", "--json", "alice.test")
        #expect(lost.refusal == Refusal(status: 4, code: "lost_rotation"), "\(lost.errors)")
        try await fleet.first.logIn("alice.test")
        try await fleet.first.succeed("refresh", "--force", "alice.test")
    }

    /// Lets something happen to the victim, or to the store, while the answer to its token request is on its way.
    @discardableResult
    private func hold(_ accident: (Program.Running) async throws -> Void) async throws -> Program.Result {
        try await fleet.sandbox.resetJournal()
        try await fleet.sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"},"action":{"delay":"3s","when":"after"}}]"#)
        let running = try victim.start("refresh", "--force", "--json", "alice.test")
        try await fleet.sandbox.waitForRequest { $0.isRefresh && $0.consumed }
        try await accident(running)
        let result = try await running.result()
        try await fleet.sandbox.setFaults("[]")
        return result
    }

    @Test("or cut off keeps the answer on its disk, and stores it when the store is back") func spool()
        async throws
    {
        let result = try await hold { _ in try await fleet.store.kill9() }
        #expect(result.status == 0, "\(result.errors)")
        // What is here can be used, and nothing else is spent.
        #expect(try await victim.run(call).status == 0)
        #expect(try await victim.run("refresh", "--force", "alice.test").status == 12)
        #expect(try await fleet.grants().count == 1)
        try await fleet.store.restart()
        let waiting = try await fleet.first.run(
            "refresh", "--force", "--json", "alice.test", "--lock-timeout", "0s")
        #expect(waiting.refusal == Refusal(status: 75, code: "claimed"), "\(waiting.errors)")
        try await victim.succeed("vault", "flush")
        try await fleet.first.succeed("refresh", "--force", "alice.test")
        try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(try await fleet.grants().count == 2)
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("and loses its disk with an answer on it has lost the session, and that is said") func noSpool()
        async throws
    {
        try await hold { _ in try await fleet.store.kill9() }
        try FileManager.default.removeItem(at: victim.vault)
        try await fleet.store.restart()
        try await fleet.first.succeed("vault", "machines", "forget", "--yes", "victim")
        let lost = try await fleet.first.run("refresh", "--force", "--json", "alice.test")
        #expect(lost.refusal == Refusal(status: 4, code: "lost_rotation"), "\(lost.errors)")
    }
}
