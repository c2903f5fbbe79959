import ATPJSON
import ATPNetworking
import BskyAuthTestSupport
import Testing

@testable import OAuthDPoP

/// A store that keeps nothing, as if no cache could be written.
private struct Forgetful: NonceStore, ServerClock {
    func nonce(for origin: Origin, role: ServerRole) -> String? { "old" }
    func remember(_ nonce: String, for origin: Origin, role: ServerRole) {}
    func offset(for origin: Origin) -> Int64 { 0 }
    func remember(offset: Int64, for origin: Origin) {}
}

@Suite("What one exchange learns") struct ForgetfulStoreTests {
    private func claims(_ answers: ScriptedTransport.Answer...) async throws -> [ReadProof] {
        let session = try DPoPSession(answers: answers)
        let client = DPoPClient(
            transport: session.transport, nonces: Forgetful(), clock: Forgetful(), now: { DPoPSession.now })
        _ = try await client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        return try session.proofs
    }

    @Test("answers a challenge with its nonce, whatever the store has") func nonce() async throws {
        let challenge = try fields(["DPoP-Nonce": "n1"])
        let proofs = try await claims(.json(nonceChallenge, status: 400, challenge), .json([:]))
        #expect(proofs.map(\.nonce) == ["old", "n1"])
    }

    @Test("corrects the time, whatever the store has") func time() async throws {
        let date = try fields(["Date": "Fri, 20 Nov 2026 22:13:51 GMT"])
        let refusal = ScriptedTransport.Answer.json(["error": "invalid_dpop_proof"], status: 401, date)
        let proofs = try await claims(refusal, .json([:]))
        let expected = [DPoPSession.seconds - 5, DPoPSession.seconds + 595]
        #expect(proofs.map(\.issuedAt) == expected)
    }

    @Test(
        "learns no time from a cache, and none from noise",
        arguments: [("Age", "600", "22:13:51"), ("X", "1", "22:03:52")])
    func noTime(name: String, value: String, time: String) async throws {
        let session = try DPoPSession(
            .json([:], try fields(["Date": "Fri, 20 Nov 2026 \(time) GMT", name: value])))
        _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        #expect(session.store.offset(for: try tokenRequest().url.origin) == 0)
    }
}
