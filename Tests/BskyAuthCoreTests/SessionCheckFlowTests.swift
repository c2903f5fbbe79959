import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthTestSupport
import Foundation
import Testing

@testable import BskyAuthCore

@Suite("CheckFlow") struct SessionCheckFlowTests {
    let world: World
    private let url = "\(World.pds)/xrpc/com.atproto.server.getSession"
    private let works = ScriptedTransport.Answer.json([
        "did": .string(World.did), "handle": "alice.example.com",
    ])

    init() throws { world = try World() }

    private func verdict(_ id: UUID) async throws -> SessionCheckFlow.Verdict? {
        try await SessionCheckFlow(world.environment).check(
            [try world.accounts.account(id)], jobs: 1, lockTimeout: .zero
        ) { _ in }.first?.verdict
    }

    @Test("a session works when its server says that it is this account's, and nothing is refreshed for it")
    func works() async throws {
        world.network.answer(url, works)
        let id = try await world.add(World.session())
        guard case .works? = try await verdict(id) else {
            Issue.record("expected .works")
            return
        }
        #expect(world.network.requests.count == 1)
    }

    @Test(
        "a new handle is taken over once the DID and the handle confirm each other", arguments: [true, false])
    func newHandle(isConfirmed: Bool) async throws {
        let id = try await world.add(World.session(), World.account(handle: "old.example.com"))
        world.network.answer(url, works)
        if !isConfirmed {
            world.network.answer(
                "https://alice.example.com/.well-known/atproto-did", .text("did:plc:ewvi7nxzyoun6zhxrhs64oiz")
            )
        }
        guard case .works? = try await verdict(id) else {
            Issue.record("expected .works")
            return
        }
        let handle = try world.accounts.account(id).handle?.description
        #expect(handle == (isConfirmed ? "alice.example.com" : nil))
        #expect(throws: CoreError.self) { try world.accounts.find("old.example.com") }
    }

    @Test("a new PDS is left to a refresh, so that no token goes there unverified") func newServer()
        async throws
    {
        let old = "https://old.example.com"
        let id = try await world.add(
            World.session(), World.account(handle: "old.example.com", pds: old))
        world.network.answer("\(old)/xrpc/com.atproto.server.getSession", works)
        guard case .works? = try await verdict(id) else {
            Issue.record("expected .works")
            return
        }
        #expect(try world.accounts.account(id).pds.description == old)
    }

    @Test("a token that a call would refresh is refreshed") func refreshes() async throws {
        world.network.answer(url, works)
        let id = try await world.add(World.session(life: 10))
        guard case .works? = try await verdict(id) else {
            Issue.record("expected .works")
            return
        }
        #expect(world.spent == ["first-refresh"])
    }

    @Test("what a server says of itself is asked once for all accounts there") func oncePerServer()
        async throws
    {
        world.network.answer(url, works)
        var accounts: [Account] = []
        for label in ["a", "b"] {
            let id = try await world.add(World.session(life: 10), World.account(label: label))
            accounts.append(try world.accounts.account(id))
        }
        _ = try await SessionCheckFlow(world.environment).check(accounts, jobs: 1, lockTimeout: .zero) { _ in
        }
        #expect(world.spent.count == 2)
        #expect(world.network.requests(to: World.serverMetadata).count == 1)
        #expect(world.network.requests(to: World.plc).count == 2)
    }

    @Test(
        "another account's session does not work, nor one that is nobody's",
        arguments: [#"{"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"}"#, "{}", "no", #"{"did":1}"#, ""])
    func otherAccount(body: String) async throws {
        world.network.answer(url, .text(body, type: "application/json"))
        let id = try await world.add(World.session())
        guard case .otherAccount? = try await verdict(id) else {
            Issue.record("expected .otherAccount")
            return
        }
    }

    @Test("a refusal is told as the server has it", arguments: [400, 403, 429, 503])
    func refused(status: Int) async throws {
        world.network.answer(url, .json(["error": "No", "message": "no"], status: status))
        let id = try await world.add(World.session())
        guard case .refused(let error)? = try await verdict(id) else {
            Issue.record("expected .refused")
            return
        }
        #expect(error.status == status && error.name == "No")
    }

    @Test("a session that has ended is not asked about, and one without an answer is not judged")
    func failed() async throws {
        let ended = try await world.add(World.session(state: .expired))
        guard case .failed(SessionFailure.sessionEnded)? = try await verdict(ended) else {
            Issue.record("another result")
            return
        }
        #expect(world.network.requests.isEmpty)
        world.network.answer(url, .failure(.timedOut, wasSent: true))
        let silent = try await world.add(World.session(), World.account(label: "other"))
        guard case .failed(SessionFailure.oauth)? = try await verdict(silent) else {
            Issue.record("another result")
            return
        }
    }

    @Test("no more are asked at once than was said, and the findings come in order", .timeLimit(.minutes(5)))
    func limit() async throws {
        let gate = Gate()
        world.network.answer(url, .held(gate, works))
        var accounts: [Account] = []
        for number in 1...5 {
            let id = try await world.add(World.session(), World.account(label: "label\(number)"))
            accounts.append(try world.accounts.account(id))
        }
        let (network, url) = (world.network, url)
        world.network.observe(url) {
            // The first two are let go when both have asked; had a third asked by then, there would be three.
            if network.requests(to: url).count == 2 { gate.open() }
        }
        let findings = try await SessionCheckFlow(world.environment).check(
            accounts, jobs: 2, lockTimeout: .zero
        ) {
            _ in
        }
        #expect(findings.map(\.account.id) == accounts.map(\.id))
        #expect(network.requests(to: url).count == 5)
    }
}
