import BskyAuthEndToEnd
import BskyAuthTestPrograms
import BskyAuthTestStores
import Foundation
import Testing

/// A store that fails while machines refresh.
@Suite("A fleet whose store fails", .serialized, .timeLimit(.minutes(10))) struct FleetFaultTests {
    @Test(
        "goes on when a node of three is killed in the middle of a refresh", .enabled(if: FleetStore.isEtcd))
    func nodeKilled() async throws {
        let etcd = try await Etcd.ready(nodes: 3)
        let fleet = try await Fleet(store: .etcd(etcd))
        let second = try await fleet.machine("second")
        for node in 0..<3 {
            try await fleet.sandbox.resetJournal()
            try await fleet.sandbox.setFaults(
                #"[{"match":{"grant":"refresh_token"},"action":{"delay":"1s","when":"after"}}]"#)
            let running = try second.start("refresh", "--force", "alice.test")
            try await fleet.sandbox.waitForRequest(\.isRefresh)
            try await etcd.kill9(node)
            let result = try await running.result()
            #expect(result.status == 0, "\(result.errors)")
            try await fleet.sandbox.setFaults("[]")
            let adopted = try await fleet.first.succeed("refresh", "--force", "alice.test")
            #expect(adopted.errors.contains("adopted"), "\(adopted.errors)")
            try await etcd.restart(node)
        }
        #expect(try await !fleet.hasEndedSession())
    }

    @Test(
        "sends no token without a majority of the nodes, and says so in bounded time",
        .enabled(if: FleetStore.isEtcd))
    func minority() async throws {
        let etcd = try await Etcd.ready(nodes: 3)
        let fleet = try await Fleet(store: .etcd(etcd))
        let second = try await fleet.machine("second")
        for node in 1...2 { try await etcd.stop(node) }
        let refused = try await second.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 12, code: "store_unavailable"), "\(refused.errors)")
        #expect(try await second.run(call).status == 0)
        #expect(try await fleet.sandbox.requests().filter(\.isRefresh).isEmpty)
        for node in 1...2 { etcd.signal(SIGCONT, node) }
        try await second.succeed("refresh", "--force", "alice.test")
        #expect(try await fleet.grants().count == 1)
    }

    @Test("on an ephemeral machine waits with the answer until the store is back") func ephemeral()
        async throws
    {
        let fleet = try await Fleet()
        let runner = try await fleet.machine("runner", ephemeral: true)
        try await fleet.sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"},"action":{"delay":"2s","when":"after"}}]"#)
        let running = try runner.start("refresh", "--force", "alice.test")
        try await fleet.sandbox.waitForRequest(\.isRefresh)
        try await fleet.store.kill9()
        try await fleet.sandbox.waitForRequest { $0.isRefresh && $0.consumed }
        try await fleet.store.restart()
        let result = try await running.result()
        #expect(result.status == 0, "\(result.errors)")
        let adopted = try await fleet.first.succeed("refresh", "--force", "alice.test")
        #expect(adopted.errors.contains("adopted"))
        #expect(try await fleet.grants().count == 1)
    }

    @Test("leaves no session that works after a logout whose store failed", arguments: [true, false])
    func logout(isEnded: Bool) async throws {
        let fleet = try await Fleet()
        let second = try await fleet.machine("second")
        // An answer of 500 does not say whether the session has ended.
        let answer =
            isEnded
            ? "" : #",{"match":{"path":"/oauth/revoke"},"action":{"respond":{"status":500,"body":""}}}"#
        try await fleet.sandbox.setFaults(
            #"[{"match":{"path":"/oauth/revoke"},"action":{"delay":"2s","when":"after"}}\#(answer)]"#)
        let running = try second.start("logout", "alice.test", "--json")
        try await fleet.sandbox.waitForRequest { $0.path == "/oauth/revoke" }
        try await fleet.store.kill9()
        let failed = try await running.result()
        #expect(failed.status == 12 && failed.errorLine?.code == "not_removed", "\(failed.errors)")
        try await fleet.store.restart()
        let shown = try await second.succeed("accounts", "show", "alice.test", "--json").json
        let state = (shown?["account"] as? [String: Any])?["state"] as? String
        #expect(state == (isEnded ? "expired" : "ok"))
        // The next logout ends what this one began.
        try await fleet.sandbox.setFaults("[]")
        try await second.succeed("logout", "alice.test")
        #expect(try await !second.succeed("accounts", "--json").text.contains("alice.test"))
        #expect(try await !fleet.first.succeed("accounts", "--json").text.contains("alice.test"))
    }

    @Test("gives a store that went back what it has lost, and nobody refreshes before all machines have")
    func repair() async throws {
        let fleet = try await Fleet()
        let (first, second) = (fleet.first, try await fleet.machine("second"))
        try await fleet.store.backUp()
        try await second.succeed("refresh", "--force", "alice.test")
        try await first.succeed("vault", "flush")
        try await first.succeed("refresh", "--force", "alice.test")
        try await fleet.store.goBack()
        let refused = try await second.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 7, code: "store_went_back"), "\(refused.errors)")
        #expect(refused.errorLine?.hint == "bskyauth vault flush --repair")
        // This machine gives back an earlier session than the other one has.
        let offered = try await second.run("vault", "flush", "--repair", "--json")
        #expect(offered.refusal == Refusal(status: 75, code: "repairing"), "\(offered.errors)")
        for (home, hint) in [
            (second, "on first, run: bskyauth vault flush --repair"),
            (first, "bskyauth vault flush --repair"),
        ] {
            let waiting = try await home.run("refresh", "--force", "--json", "alice.test")
            #expect(waiting.refusal == Refusal(status: 75, code: "repairing"), "\(waiting.errors)")
            #expect(waiting.errorLine?.hint == hint)
        }
        #expect(try await first.run(call).status == 0)
        #expect(try await fleet.grants().count == 2)
        let last = try await first.succeed("vault", "flush", "--repair")
        #expect(last.errors.contains("the store has all sessions again"), "\(last.errors)")
        let adopted = try await second.succeed("refresh", "--force", "alice.test")
        #expect(adopted.errors.contains("adopted"), "\(adopted.errors)")
        try await second.succeed("refresh", "--force", "alice.test")
        #expect(try await fleet.grants().count == 3)
        #expect(try await !fleet.hasEndedSession())
    }

    /// The place at which the ephemeral machine repairs among the durable ones; nil if its job ends before.
    @Test("gives a store that went back what only an ephemeral machine has", arguments: [nil, 0, 1, 2])
    func ephemeral(place: Int?) async throws {
        let fleet = try await Fleet(accounts: ["alice.test", "bob.test"])
        let (first, second) = (fleet.first, try await fleet.machine("second"))
        let runner = try await fleet.machine("runner", ephemeral: true)
        try await fleet.store.backUp()
        try await runner.succeed("refresh", "--force", "alice.test", "bob.test")
        try await fleet.store.goBack()
        try await fleet.sandbox.resetJournal()
        let refused = try await runner.run("refresh", "--force", "--json", "alice.test")
        #expect(refused.refusal == Refusal(status: 7, code: "store_went_back"), "\(refused.errors)")
        let waiting = try await runner.run("vault", "flush", "--json")
        #expect(waiting.refusal == Refusal(status: 75, code: "repairing"), "\(waiting.errors)")
        #expect(waiting.errorLine?.hint == "on first, second, run: bskyauth vault flush --repair")
        for step in 0...2 {
            if step == place { _ = try await runner.run("vault", "flush", "--repair") }
            if step < 2 { _ = try await [first, second][step].run("vault", "flush", "--repair") }
        }
        for home in [first, second, runner, first] {
            try await home.succeed("refresh", "--force", "alice.test", "bob.test")
        }
        // The other machines have adopted the sessions.
        #expect(try await fleet.grants().count == 2)
        #expect(try await !fleet.hasEndedSession())
    }

    @Test("sends no token of any account when a store went back, as soon as one machine knows") func stops()
        async throws
    {
        let fleet = try await Fleet(accounts: ["alice.test", "bob.test"])
        let (first, second) = (fleet.first, try await fleet.machine("second"))
        try await fleet.store.backUp()
        try await first.succeed("refresh", "--force", "alice.test", "bob.test")
        // This machine knows one of the two newer sessions.
        try await second.succeed("refresh", "--force", "bob.test")
        try await fleet.store.goBack()
        try await fleet.sandbox.resetJournal()
        let refused = try await second.run("refresh", "--all", "--force", "--json")
        #expect(refused.refusal == Refusal(status: 7, code: "store_went_back"), "\(refused.errors)")
        for home in [first, second] {
            let waiting = try await home.run("refresh", "--force", "--json", "alice.test")
            #expect(waiting.refusal == Refusal(status: 75, code: "repairing"), "\(waiting.errors)")
        }
        #expect(try await fleet.sandbox.requests().filter(\.isRefresh).isEmpty)
        _ = try await second.run("vault", "flush", "--repair")
        try await first.succeed("vault", "flush", "--repair")
        for home in [second, first] {
            try await home.succeed("refresh", "--force", "alice.test")
            try await home.succeed("refresh", "--force", "bob.test")
        }
        #expect(try await !fleet.hasEndedSession())
    }
}
