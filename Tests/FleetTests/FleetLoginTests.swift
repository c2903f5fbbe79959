import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Logins to one account on three machines at once, with the command line and with the library.
@Suite("Logins to one account of a fleet", .serialized, .timeLimit(.minutes(60))) struct FleetLoginTests {
    private let fleet: Fleet
    private let machines: [Home]

    init() async throws {
        fleet = try await Fleet()
        machines = [fleet.first, try await fleet.machine("second"), try await fleet.machine("third")]
        // The account that the machines log in to is in no vault, and its row is free.
        try await fleet.first.succeed("logout", "alice.test")
        try await fleet.sandbox.resetJournal()
    }

    private func login(_ number: Int) -> (home: Home, program: String, arguments: [String]) {
        let home = machines[number % 3]
        // The library is tried with etcd.
        guard FleetStore.isEtcd, number.isMultiple(of: 2), let key = home.environment["BSKYAUTH_KEY_FILE"]
        else { return (home, Paths.program, ["login", "alice.test", "--json"]) }
        return (home, Paths.library, [fleet.sandbox.address, home.vault.path, key, "login", "alice.test"])
    }

    /// Logs in.
    ///
    /// - Returns: the UUID of the account.
    private func logIn(_ number: Int) async throws -> String {
        let (home, program, arguments) = login(number)
        let result = try await Program.run(program, arguments, environment: home.environment)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        let account = result.json?["account"] as? [String: Any]
        return account?["id"] as? String ?? result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The living sessions at the server.
    private func sessions() async throws -> Int {
        let found = try JSONSerialization.jsonObject(with: try await fleet.sandbox.get("/_sandbox/sessions"))
        return ((found as? [String: Any])?["sessions"] as? [Any])?.count ?? 0
    }

    /// The one account that each machine has.
    private func account() async throws -> String {
        var ids: Set<String> = []
        for machine in machines {
            let accounts = try await machine.accounts()
            #expect(accounts.count == 1)
            ids.formUnion(accounts.map(\.id))
            #expect(try await machine.run(call).status == 0)
            try await machine.succeed("vault", "verify")
        }
        #expect(ids.count == 1)
        return ids.first ?? ""
    }

    @Test("leave one account with one living session, and end each of the others once", .covers("K1", "G3"))
    func once() async throws {
        let count = testsAll ? 51 : 9
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<count {
                group.addTask { try await logIn(number) }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await account() == ids.first)
        #expect(try await sessions() == 1)
        let requests = try await fleet.sandbox.requests()
        let keys = requests.filter { $0.grant == "authorization_code" && $0.consumed }.compactMap(\.jkt)
        let revoked = requests.filter { $0.path == "/oauth/revoke" && $0.status == 200 }.compactMap(\.jkt)
        #expect(Set(keys).count == count && Set(revoked).count == count - 1)
        #expect(revoked.count == Set(revoked).count)
        print("\(count) logins on 3 machines: \(revoked.count) revocations of \(Set(revoked).count) sessions")
    }

    @Test(
        "leave nothing but the killed logins' own sessions, if each machine is killed at a random write",
        .enabled(if: SystemCalls.isPossible))
    func killed() async throws {
        let rounds = testsLong ? 40 : 3
        let writes = ["pwrite64", "fsync", "renameat", "sendto"]
        var counts: [[String: Int]] = []
        for number in 0..<3 {
            let (home, program, arguments) = login(number)
            counts.append(try await SystemCalls.counts(of: arguments, by: program, in: home, names: writes))
        }
        var (kills, round) = (0, 0)
        // strace counts the calls of each thread by themselves, so a number that is drawn may not be reached.
        while round < rounds || kills == 0 && round < 30 {
            round += 1
            let results = try await withThrowingTaskGroup(of: Program.Result.self) { group in
                for number in 0..<3 {
                    let name = writes.randomElement() ?? writes[0]
                    let count = Int.random(in: 1...max(1, counts[number][name, default: 1] / 2))
                    let (home, program, arguments) = login(number)
                    group.addTask {
                        try await SystemCalls.run(
                            arguments, by: program, in: home, injecting: "\(name):signal=KILL:when=\(count)")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            kills += results.count { $0.wasSignalled }
            for machine in machines { try await machine.succeed("vault", "restore") }
            var ids: Set<String> = []
            for number in 0..<3 { ids.insert(try await logIn(number)) }
            #expect(ids.count == 1, "round \(round)")
            #expect(try await account() == ids.first)
            // A killed login may leave its own session at the server, or the one that it had replaced.
            #expect(try await sessions() <= 1 + kills, "round \(round)")
        }
        #expect(kills > 0)
        print("\(round) rounds, \(kills) kills: \(try await sessions() - 1) sessions are left at the server")
    }
}
