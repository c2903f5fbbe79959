import ATPJSON
import ATPNetworking
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("Rotation: what failures mean") struct RotationFailureTests {
    let world: World

    init() throws { world = try World() }

    @Test(
        "an answer that does not verify is kept first, then quarantined, revoked and never used",
        .covers("R67", "R71", "F9"),
        arguments: [
            World.tokens("bad", sub: "did:plc:ewvi7nxzyoun6zhxrhs64oiz"), World.tokens("bad", sub: nil),
            World.tokens("bad", type: "Bearer"), World.tokens("bad", scope: "transition:generic"),
            World.tokens("bad", scope: nil),
        ])
    func quarantine(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.token, answer)
        let id = try await world.add(World.session(life: 0))
        let wasQuarantined = Flag()
        world.network.observe(World.revoke) { [world] in
            let stored = try? world.accounts.session(id)
            wasQuarantined.set(stored?.state == .quarantined)
        }
        let error = await #expect(throws: SessionFailure.self) { try await world.refresh(id) }
        guard case .unverified? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(wasQuarantined.isSet)
        let revoked = world.network.requests(to: World.revoke)
        #expect(revoked.map { $0.form?.single("token") } == ["bad-refresh"])
        #expect(revoked.allSatisfy { $0.headerFields.dpopProof != nil })
        let stored = try world.accounts.session(id)
        #expect(stored.name == "bad" && stored.state == .quarantined && stored.lastError == "quarantined")
        #expect(try await world.intent(of: id) == nil)
        #expect(try await ending { try await world.refresh(id, forced: true) } == .quarantined)
        #expect(world.spent == ["first-refresh"])
    }

    @Test(
        "invalid_grant ends the session", .covers("H7"),
        arguments: [
            ("505-refresh-token-replayed", "Refresh token replayed"),
            ("519-refresh-unknown-token", "Invalid refresh token"),
        ])
    func invalidGrant(transcript: String, said: String) async throws {
        world.network.answer(World.token, try Transcript.answer(transcript))
        let id = try await world.add(World.session(life: 0))
        #expect(try await ending { try await world.refresh(id) } == .expired(said: said))
        let stored = try world.accounts.session(id)
        #expect(stored.state == .expired && stored.lastError == "invalid_grant" && stored.name == "first")
        #expect(try await world.intent(of: id) == nil)
    }

    @Test(
        "nothing else does", .covers("12.5", "H7"),
        arguments: [
            ScriptedTransport.Answer.json(["error": "invalid_client"], status: 400),
            .json(["error": "invalid_dpop_proof"], status: 400),
            .json(["error": "invalid_request"], status: 401),
            .json(["error": "slow_down"], status: 429),
            .text("<html>no</html>", status: 403, type: "text/html"),
            .text("<html>busy</html>", status: 503, type: "text/html"),
            .json(["error": "invalid_grant"], status: 500), .text("<html>hi</html>", type: "text/html"),
            .failure(.connectionLost, wasSent: true), .failure(.timedOut, wasSent: true),
            .failure(.notConnected, wasSent: false), .failure(.untrusted, wasSent: false),
        ])
    func otherwise(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.token, answer)
        let id = try await world.add(World.session(life: 0))
        #expect(try await isOAuthError { try await world.refresh(id) })
        let stored = try world.accounts.session(id)
        #expect(stored.state == .ok && stored.name == "first" && stored.lastError == nil)
        // Whatever it was, a later attempt may succeed.
        world.clock.advance(3600)
        world.network.answer(World.token, World.tokens("second"))
        #expect(try await world.refresh(id).0 == .refreshed)
    }

    @Test(
        "the intent goes where the token was not spent", .covers("R65"),
        arguments: [
            ScriptedTransport.Answer.failure(.notConnected, wasSent: false), .json([:], status: 429),
        ])
    func cleared(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.token, answer)
        let id = try await world.add(World.session(life: 0))
        #expect(try await isOAuthError { try await world.refresh(id) })
        #expect(try await world.intent(of: id) == nil)
    }

    @Test(
        "the intent stays where nobody knows", .covers("R66"),
        arguments: [
            ScriptedTransport.Answer.failure(.connectionLost, wasSent: true), .text("", status: 502),
            .text("<html>", type: "text/html"), .text("", status: 408),
        ])
    func kept(answer: ScriptedTransport.Answer) async throws {
        world.network.answer(World.token, answer)
        let id = try await world.add(World.session(life: 0))
        #expect(try await isOAuthError { try await world.refresh(id) })
        let intent = try #require(try await world.intent(of: id))
        #expect(intent.tokenFingerprint == RefreshToken("first-refresh").fingerprint)
        #expect(intent.startedAt == World.start && intent.attempt == 1)
        #expect(world.section.depth == 0)
    }

    private func isOAuthError(_ step: () async throws -> Void) async throws -> Bool {
        do {
            try await step()
            return false
        } catch SessionFailure.oauth {
            return true
        } catch SessionFailure.refreshFailed(let error, _) {
            return if case SessionFailure.oauth = error { true } else { false }
        }
    }
}
