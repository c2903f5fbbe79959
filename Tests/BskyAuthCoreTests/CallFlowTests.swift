import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Synchronization
import Testing

@testable import BskyAuthCore

@Suite("CallFlow") struct CallFlowTests {
    let world: World
    private let url = "\(World.pds)/xrpc/com.atproto.server.getSession"
    private let refusal: ScriptedTransport.Answer
    private let success = ScriptedTransport.Answer.json(["did": .string(World.did)])

    init() throws {
        world = try World()
        refusal = try Transcript.answer("502-resource-old-access-token-after-refresh")
    }

    private func call(
        _ id: UUID, _ method: String = "com.atproto.server.getSession"
    ) async throws -> TransportResponse {
        let request = XRPCRequest(.query, try NSID(validating: method))
        return try await CallFlow(world.environment.context, as: id).send(request, lockTimeout: .zero)
    }

    /// The access tokens of the calls so far.
    private var used: [String] {
        world.network.requests(to: url).compactMap { $0.headerFields[.authorization] }
    }

    @Test("a warm call is one request", .covers("B1", "G2")) func warm() async throws {
        world.network.answer(url, success)
        let id = try await world.add(World.session())
        #expect(try await call(id).status == 200)
        #expect(world.network.requests.count == 1)
        #expect(used == ["DPoP first-access"])
        #expect(world.caches.reads == ["sessions/\(id.uuidString.lowercased()).json"])
    }

    @Test(
        "a token about to end is refreshed first", .covers("C13", "H6"),
        arguments: [(301, 3600, "first"), (299, 3600, "second"), (13, 60, "first"), (11, 60, "second")])
    func refreshes(left: Double, lifetime: Double, name: String) async throws {
        world.network.answer(url, success)
        let id = try await world.add(World.session(life: left, of: lifetime))
        _ = try await call(id)
        #expect(used == ["DPoP \(name)-access"])
        #expect(world.spent.count == (name == "first" ? 0 : 1))
    }

    @Test("a token that is still good is used if the account's lock can't be taken") func noLock()
        async throws
    {
        world.network.answer(url, success)
        let id = try await world.add(World.session(life: 200))
        let lock = world.directory.appending(path: "vault/locks/\(id.uuidString.lowercased()).lock")
        try? FileManager.default.removeItem(at: lock)
        try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
        #expect(try await call(id).status == 200)
        #expect(used == ["DPoP first-access"] && world.spent.isEmpty)
    }

    @Test("a nonce is learned once, and known to the next process", .covers("B10")) func nonce() async throws
    {
        let fields: HTTPFields = [
            .contentType: "application/json", .wwwAuthenticate: #"DPoP error="use_dpop_nonce""#,
        ]
        var challenge = fields
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        challenge[name] = "n1"
        world.network.answer(url, .response(401, challenge, []), success)
        let id = try await world.add(World.session())
        #expect(try await call(id).status == 200)
        #expect(used.count == 2)
        #expect(try await call(id).status == 200)
        #expect(used.count == 3)
        let proof = try #require(world.network.requests.last?.headerFields.dpopProof)
        #expect(try claims(proof)["nonce"] == "n1")
    }

    @Test("invalid_token: one refresh, one resend", .covers("R69", "B11")) func invalidToken() async throws {
        world.network.answer(url, refusal, success)
        let id = try await world.add(World.session())
        #expect(try await call(id).status == 200)
        #expect(used == ["DPoP first-access", "DPoP second-access"])
        #expect(world.spent == ["first-refresh"])
    }

    @Test("invalid_token: where the refresh finds that the account moved, its new server gets the new token")
    func moved() async throws {
        let old = "https://old.example.com"
        world.network.answer("\(old)/xrpc/com.atproto.server.getSession", refusal)
        world.network.answer(url, success)
        let id = try await world.add(World.session(), World.account(pds: old))
        #expect(try await call(id).status == 200)
        #expect(used == ["DPoP second-access"])
        #expect(world.network.requests(to: "\(old)/xrpc/com.atproto.server.getSession").count == 1)
    }

    @Test("invalid_token: the token another process got meanwhile is used without a refresh", .covers("R66b"))
    func newer()
        async throws
    {
        world.network.answer(url, refusal, success)
        let id = try await world.add(World.session())
        let gate = Gate()
        world.network.answer(url, .held(gate, refusal), success)
        let asked = Gate()
        world.network.observe(url) { asked.open() }
        let task = Task { try await call(id) }
        await asked.wait()
        try await world.store(World.session("theirs"), of: id)
        gate.open()
        #expect(try await task.value.status == 200)
        #expect(used == ["DPoP first-access", "DPoP theirs-access"])
        #expect(world.spent.isEmpty)
    }

    @Test("invalid_token: quarantined tokens of another process are not used") func quarantined() async throws
    {
        let id = try await world.add(World.session())
        let gate = Gate()
        world.network.answer(url, .held(gate, refusal), success)
        let asked = Gate()
        world.network.observe(url) { asked.open() }
        let task = Task { try await call(id) }
        await asked.wait()
        try await world.store(World.session("theirs", state: .quarantined, lastError: "quarantined"), of: id)
        gate.open()
        #expect(try await ending { _ = try await task.value } == .quarantined)
        #expect(used == ["DPoP first-access"] && world.spent.isEmpty)
    }

    @Test("invalid_token again after its own refresh ends the call, and not the session", .covers("R69b"))
    func refusedTwice() async throws {
        world.network.answer(url, refusal)
        let id = try await world.add(World.session())
        let words = try #require(await tokenRefusal { _ = try await call(id) })
        #expect(words.status == 401 && words.name == "invalid_token")
        #expect(used.count == 2 && world.spent.count == 1)
        #expect(try world.accounts.session(id).state == .ok)
    }

    @Test(
        "invalid_token of a service, which the server tells as its own, is the answer to the call",
        .covers("R69b"))
    func service() async throws {
        let method = "app.bsky.actor.getProfile"
        let service = "\(World.pds)/xrpc/\(method)"
        world.network.answer(service, refusal)
        let id = try await world.add(World.session())
        for answer in [success, .json([:], status: 500), .failure(.timedOut, wasSent: true)] {
            world.network.answer(url, answer)
            let response = try await call(id, method)
            #expect(response.status == 401)
            let body = try await response.body.collect(upTo: 100)
            #expect(String(decoding: body, as: UTF8.self).contains("invalid_token"))
        }
        // The server itself was asked about the new token each time.
        #expect(used.count == 3 && world.spent.count == 3)
        world.network.answer(url, refusal)
        #expect(await tokenRefusal { _ = try await call(id, method) } != nil)
        #expect(try world.accounts.session(id).state == .ok)
    }

    /// Starts a call that refreshes the refused first token, and does something before the server refuses the second one, too.
    private func refused(
        _ id: UUID, then success: ScriptedTransport.Answer? = nil, meanwhile: () async throws -> Void
    ) async throws -> TransportResponse {
        let (gate, asked) = (Gate(), Gate())
        world.network.answer(url, [refusal, .held(gate, refusal)] + (success.map { [$0] } ?? []))
        world.network.observe(url) { [world, url] in
            if world.network.requests(to: url).count == 2 { asked.open() }
        }
        let task = Task { try await call(id) }
        await asked.wait()
        try await meanwhile()
        gate.open()
        return try await task.value
    }

    @Test("its own token, which another process has spent next: the next token is used", .covers("R69b"))
    func ownTokenSpent() async throws {
        let id = try await world.add(World.session())
        let response = try await refused(id, then: success) {
            try await world.store(World.session("theirs"), of: id)
        }
        #expect(response.status == 200)
        #expect(used == ["DPoP first-access", "DPoP second-access", "DPoP theirs-access"])
        #expect(world.spent == ["first-refresh"])
    }

    @Test("its own token while another process has the account: nothing is said about the session")
    func ownTokenInUse() async throws {
        let id = try await world.add(World.session())
        let accounts = world.accounts
        let held = HeldLock()
        await #expect {
            _ = try await refused(id) { held.hold(try await accounts.lock(id, timeout: .zero)) }
        } throws: {
            if case VaultError.busy = $0 { true } else { false }
        }
        #expect(used.count == 2 && world.spent.count == 1)
    }

    @Test("its own token, with which another process got no answer: nothing is said about the session")
    func ownTokenUnclear() async throws {
        let id = try await world.add(World.session())
        await #expect {
            _ = try await refused(id) {
                world.network.answer(World.token, .failure(.connectionLost, wasSent: true))
                await #expect(throws: (any Error).self) { try await world.refresh(id, forced: true) }
            }
        } throws: { error in
            guard case SessionFailure.refreshUnclear = error, let error = error as? any KnownError else {
                return false
            }
            return error.isPassing
        }
        #expect(used.count == 2 && world.spent == ["first-refresh", "second-refresh"])
    }

    @Test("tokens that others spend each time: the call gives way after five sendings") func restless()
        async throws
    {
        let id = try await world.add(World.session())
        world.network.answer(url, refusal)
        world.network.observe(url) { [world, url] in
            let number = world.network.requests(to: url).count
            do {
                guard let lock = try world.accounts.tryLock(id) else { return }
                let next = try World.session("number\(number)")
                try world.accounts.vault.replaceSession(next.record, of: id, under: lock)
            } catch { Issue.record(error) }
        }
        await #expect {
            _ = try await call(id)
        } throws: {
            if case VaultError.busy = $0 { true } else { false }
        }
        #expect(used.count == 5 && world.spent.isEmpty)
    }

    @Test("a token that expired since another machine got it is refreshed once more") func adoptedLongAgo()
        async throws
    {
        let id = try await world.add(World.session())
        let (gate, asked) = (Gate(), Gate())
        world.network.answer(url, .held(gate, refusal), refusal, success)
        world.network.observe(url) { asked.open() }
        let task = Task { try await call(id) }
        await asked.wait()
        try await world.store(World.session("theirs"), of: id)
        gate.open()
        #expect(try await task.value.status == 200)
        #expect(used == ["DPoP first-access", "DPoP theirs-access", "DPoP second-access"])
        #expect(world.spent == ["theirs-refresh"])
    }

    @Test(
        "invalid_token, and the refresh refused without a code: uncertain, and not asked again",
        .covers("12.5"))
    func refusedEverywhere() async throws {
        world.network.answer(url, refusal)
        world.network.answer(World.token, .json(["error": "\"client_id\" mismatch"], status: 400))
        let id = try await world.add(World.session())
        for _ in 1...2 {
            #expect(try await ending { _ = try await call(id) } == .uncertain)
        }
        #expect(used.count == 1 && world.spent.count == 1)
        #expect(try world.accounts.session(id).state == .uncertain)
    }

    @Test("invalid_token with an unanswered rotation: it is settled, the refused token not sent again")
    func afterLostRotation() async throws {
        let id = try await world.add(World.session(life: 200))
        world.network.answer(World.token, .failure(.connectionLost, wasSent: true))
        world.network.answer(url, success)
        // The token that could not be refreshed still lives.
        #expect(try await call(id).status == 200)
        world.network.answer(World.token, try Transcript.answer("505-refresh-token-replayed"))
        world.network.answer(url, refusal)
        #expect(try await ending { _ = try await call(id) } == .lostRotation(after: nil))
        #expect(used == ["DPoP first-access", "DPoP first-access"])
    }

    @Test("another 401 and errors are answers like others", .covers("X14"), arguments: [400, 401, 403, 500])
    func otherAnswers(status: Int) async throws {
        world.network.answer(url, .json(["error": "InvalidRequest"], status: status))
        let id = try await world.add(World.session())
        let response = try await call(id)
        #expect(response.status == status)
        #expect(try await response.body.collect(upTo: 100) == Array(#"{"error":"InvalidRequest"}"#.utf8))
        #expect(used.count == 1)
    }

    @Test("a session that is over is not called with") func over() async throws {
        let id = try await world.add(World.session(state: .quarantined))
        #expect(try await ending { _ = try await call(id) } == .quarantined)
        #expect(world.network.requests.isEmpty)
    }

    private func claims(_ proof: String) throws -> JSONValue {
        let part = try #require(proof.split(separator: ".").dropFirst().first)
        return try JSONParser.parse(try #require(Base64URL.decode(String(part))))
    }
}

/// The lock of an account in another process.
private final class HeldLock: Sendable {
    private let lock = Mutex<AccountLock?>(nil)

    func hold(_ lock: consuming AccountLock) {
        var other: AccountLock? = lock
        self.lock.withLock { swap(&$0, &other) }
    }
}

/// The words of the server that refused a new token; nil if the step ended otherwise.
func tokenRefusal(_ step: () async throws -> Void) async -> XRPCError? {
    do { try await step() } catch SessionFailure.tokenRefused(_, let words) { return words } catch {}
    return nil
}
