import ATPJSON
import ATPNetworking
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import Testing

@testable import BskyAuthCore

@Suite("Refreshing many") struct RefreshAllTests {
    let world: World

    init() throws { world = try World() }

    @Test("the attempts come in the order of the accounts, whatever failed") func order() async throws {
        let ended = try await world.add(
            World.session(state: .expired), World.account(did: Self.other(1), handle: nil))
        let stale = try await world.add(World.session(life: 10))
        let fresh = try await world.add(World.session(), World.account(label: "work"))
        var reported: Set<UUID> = []
        let accounts = try [ended, stale, fresh].map { try world.accounts.account($0) }
        let attempts = try await RefreshAllFlow(world.environment).refresh(
            accounts, options: .init(), jobs: 3, lockTimeout: .zero
        ) { reported.insert($0.account.id) }
        #expect(attempts.map(\.account.id) == [ended, stale, fresh])
        #expect(reported == [ended, stale, fresh])
        let outcomes = attempts.map { try? $0.result.get().outcome }
        #expect(outcomes == [nil, .refreshed, .fresh])
        #expect(world.spent == ["first-refresh"])
    }

    @Test(
        "a server that does not answer keeps nobody else waiting", .covers("H8"), .timeLimit(.minutes(5)),
        arguments: [
            (Array(repeating: "https://slow.example.com", count: 3), World.pds),
            // Nor does an issuer that several have.
            ((1...3).map { "https://pds\($0).example.com" }, "https://issuer.example.com"),
        ])
    func slowServer(servers: [String], issuer: String) async throws {
        let gate = Gate()
        var accounts: [Account] = []
        for (number, pds) in servers.enumerated() {
            let did = Self.other(number + 1)
            world.network.answer(
                "https://plc.directory/\(did.replacing(":", with: "%3A"))",
                .held(gate, .failure(.timedOut, wasSent: true)))
            let account = try World.account(did: did, handle: nil, pds: pds)
            let id = try await world.add(World.session(life: 10, issuer: issuer), account)
            accounts.append(try world.accounts.account(id))
        }
        accounts.append(try world.accounts.account(await world.add(World.session(life: 10))))
        // Only the account at the other server opens the gate: were it behind the slow ones, none would.
        let attempts = try await RefreshAllFlow(world.environment).refresh(
            accounts, options: .init(), jobs: 2, lockTimeout: .zero
        ) { attempt in
            if case .success = attempt.result { gate.open() }
        }
        #expect(attempts.map { (try? $0.result.get().outcome) == .refreshed } == [false, false, false, true])
    }

    @Test(
        "a process that is to end begins no more, and finishes what it has begun", .covers("G7", "H8"),
        .timeLimit(.minutes(5)))
    func interrupted() async throws {
        let (bothAsked, gate) = (Gate(), Gate())
        world.network.answer(World.token, .held(gate, World.tokens("second")))
        world.network.observe(World.token) { [world] in
            if world.spent.count == 2 { bothAsked.open() }
        }
        let accounts = try await accounts("a", "b", "c", "d")
        let task = Task { [world, accounts] in
            try await RefreshAllFlow(world.environment).refresh(
                accounts, options: .init(), jobs: 2, lockTimeout: .zero
            ) { _ in }
        }
        await bothAsked.wait()
        world.section.interrupt()
        gate.open()
        let attempts = try await task.value
        #expect(attempts.map(\.account.label) == ["a", "b"])
        #expect(attempts.allSatisfy { (try? $0.result.get().outcome) == .refreshed })
        #expect(world.spent.count == 2)
        #expect(world.section.depth == 0)
    }

    @Test("a server is asked once what it says of itself, and each account where it is") func oncePerServer()
        async throws
    {
        let accounts = try await accounts("a", "b", "c")
        let flow = RefreshAllFlow(world.environment)
        #expect(try await refreshed(accounts, by: flow) == [.refreshed, .refreshed, .refreshed])
        #expect(world.network.requests(to: World.resourceMetadata).count == 1)
        #expect(world.network.requests(to: World.serverMetadata).count == 1)
        #expect(world.network.requests(to: World.plc).count == 3)
        world.clock.advance(600)
        #expect(try await refreshed(accounts, by: flow) == [.refreshed, .refreshed, .refreshed])
        #expect(world.network.requests(to: World.serverMetadata).count == 2)
    }

    @Test("what a server said before serves no longer for the account that heard of it later")
    func datedAsItWasSaid() async throws {
        let accounts = try await accounts("a", "b")
        let flow = RefreshAllFlow(world.environment)
        #expect(try await refreshed([accounts[0]], by: flow) == [.refreshed])
        world.clock.advance(300)
        #expect(try await refreshed([accounts[1]], by: flow) == [.refreshed])
        #expect(world.network.requests(to: World.serverMetadata).count == 1)
        world.clock.advance(300)
        try await world.refresh(accounts[1].id, forced: true)
        #expect(world.network.requests(to: World.serverMetadata).count == 2)
    }

    @Test("an account of another issuer is refused, whoever was verified at its server before")
    func otherIssuer() async throws {
        var accounts = try await accounts("a")
        let session = try World.session(
            "other", life: 10, issuer: "https://other.example.com")
        accounts.append(try world.accounts.account(await world.add(session, World.account(label: "b"))))
        #expect(try await refreshed(accounts, by: RefreshAllFlow(world.environment)) == [.refreshed, nil])
        #expect(world.spent == ["first-refresh"])
        #expect(try world.accounts.session(accounts[1].id).name == "other")
    }

    /// Accounts whose tokens have to be refreshed.
    private func accounts(_ labels: String...) async throws -> [Account] {
        var accounts: [Account] = []
        for label in labels {
            let id = try await world.add(World.session(life: 10), World.account(label: label))
            accounts.append(try world.accounts.account(id))
        }
        return accounts
    }

    /// What became of each, one after the other; nil of one that failed.
    private func refreshed(_ accounts: [Account], by flow: RefreshAllFlow) async throws
        -> [RefreshOutcome?]
    {
        try await flow.refresh(accounts, options: .init(isForced: true), jobs: 1, lockTimeout: .zero) { _ in }
            .map { try? $0.result.get().outcome }
    }

    private static func other(_ number: Int) -> String {
        "did:plc:\(String(repeating: "abcdefg".prefix(number).last ?? "x", count: 24))"
    }
}

@Suite("FairQueue") struct FairQueueTests {
    @Test("no server gets more than its share while others have work waiting") func share() {
        var queue = FairQueue(["a1", "a2", "a3", "a4", "b1", "c1"], places: 4) { JobServers(own: $0.first) }
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == ["a1", "b1", "c1", "a2"])
        #expect(queue.next() == nil)
        queue.finish(JobServers(own: "b"))
        #expect(queue.next() == "a3")
        queue.finish(JobServers(own: "a"))
        #expect(queue.next() == "a4")
        queue.finish(JobServers(own: "a"))
        #expect(queue.next() == nil)
    }

    @Test("what the shares leave over is used", arguments: [1, 2]) func remainder(servers: Int) {
        // Five servers, each by itself or behind one, and eight places.
        let work = (0..<40).map { $0 % 5 }
        var queue = FairQueue(work, places: 8) { JobServers(shared: servers == 1 ? nil : $0, own: $0) }
        let started = (0..<9).map { _ in queue.next() }
        #expect(started == [0, 1, 2, 3, 4, 0, 1, 2, nil])
    }

    @Test("nor do several with a server in common") func shared() {
        let work = ["i1", "i2", "i3", "s1"]
        let servers = { (work: String) in JobServers(shared: work.first, own: work.last) }
        var queue = FairQueue(work, places: 2, servers: servers)
        #expect([queue.next(), queue.next(), queue.next()] == ["i1", "s1", nil])
        queue.finish(servers("s1"))
        #expect(queue.next() == "i2")
        queue.finish(servers("i1"))
        #expect(queue.next() == "i3")
    }

    @Test("everything is done once, whatever the order of the ends", .covers("G7"), arguments: 1...5)
    func everything(places: Int) {
        let work = (0..<40).map { ($0 % 7, $0) }
        var queue = FairQueue(work, places: places) { JobServers(own: $0.0) }
        var running: [(Int, Int)] = []
        var done: [Int] = []
        repeat {
            while let next = queue.next() { running.append(next) }
            #expect(running.count <= places)
            let ended = running.remove(at: running.count / 2)
            done.append(ended.1)
            queue.finish(JobServers(own: ended.0))
        } while done.count < work.count
        #expect(done.sorted() == Array(0..<40))
        #expect(queue.next() == nil)
    }
}
