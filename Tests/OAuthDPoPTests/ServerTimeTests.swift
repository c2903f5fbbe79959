import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@testable import OAuthDPoP

@Suite("The time in proofs") struct ServerTimeTests {
    /// 90 s ahead of ``DPoPSession/now``, and at it.
    static let ahead = "Fri, 20 Nov 2026 22:05:21 GMT"
    static let same = "Fri, 20 Nov 2026 22:03:51 GMT"
    /// 7 s behind it.
    static let slightlyBehind = "Fri, 20 Nov 2026 22:03:44 GMT"
    static let behind = "Fri, 20 Nov 2026 21:53:51 GMT"

    @Test("dates a proof back, so that it never runs ahead", .covers("12.4", "13.1")) func backdated()
        async throws
    {
        let session = try DPoPSession(.json([:]))
        _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        let now = DPoPSession.seconds
        #expect(try session.proofs[0].issuedAt == now - 5)
    }

    @Test(
        "corrects its time once by the Date of a refusal", .covers("R52", "12.4", "13.1"),
        arguments: [(ahead, Int64(90)), (behind, Int64(-600))])
    func corrected(date: String, offset: Int64) async throws {
        let session = try DPoPSession(
            .json(
                ["error": "invalid_dpop_proof", "error_description": "iat"], status: 401,
                try fields(["Date": date])),
            .json([:]))
        let response = try await session.client.sendToAuthorizationServer(
            tokenRequest(), key: session.key)
        #expect(response.status == 200)
        let now = DPoPSession.seconds
        #expect(try session.proofs.map(\.issuedAt) == [now - 5, now - 5 + offset])
        #expect(session.store.offset(for: try url("https://as.example").origin) == offset)
    }

    @Test(
        "takes a vague refusal for one of the proof where the clocks differ", .covers("R52", "13.1"),
        arguments: [ahead, behind])
    func vague(date: String) async throws {
        let refusal = ScriptedTransport.Answer.json(
            ["error": "InvalidRequest"], status: 400, try fields(["Date": date]))
        let server = try DPoPSession(refusal, .json([:]))
        let issued = try await server.client.sendToAuthorizationServer(tokenRequest(), key: server.key)
        #expect(issued.status == 200)
        let resource = try DPoPSession(refusal, .json([:]))
        let answer = try await resource.client.sendToResourceServer(
            tokenRequest(), key: resource.key, accessToken: AccessToken("token"))
        guard case .answered(let response) = answer else {
            Issue.record("expected .answered")
            return
        }
        #expect(response.status == 200)
        #expect(resource.transport.requests.count == 2)
    }

    @Test("passes a vague refusal on, whole, where the clocks agree", .covers("R52"))
    func vagueOfSomethingElse() async throws {
        let resource = try DPoPSession(
            .json(["error": "InvalidRequest"], status: 400, try fields(["Date": Self.same])), .json([:]))
        let answer = try await resource.client.sendToResourceServer(
            tokenRequest(), key: resource.key, accessToken: AccessToken("token"))
        guard case .answered(let response) = answer else {
            Issue.record("expected .answered")
            return
        }
        #expect(try await response.body.collect(upTo: 100) == Array(#"{"error":"InvalidRequest"}"#.utf8))
        #expect(resource.transport.requests.count == 1)
    }

    @Test(
        "corrects a clock that is ahead at all, since some servers take no proof from the future",
        .covers("12.4"))
    func slightlyAhead() async throws {
        let session = try DPoPSession(
            .json(["error": "invalid_dpop_proof"], status: 401, try fields(["Date": Self.slightlyBehind])),
            .json([:]))
        let response = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        #expect(response.status == 200)
    }

    @Test("corrects by a day at most, and knows how far the clocks are apart", .covers("R52"))
    func farAway() async throws {
        let session = try DPoPSession(
            .json(
                ["error": "invalid_dpop_proof"], status: 401,
                try fields(["Date": "Wed, 02 Dec 2026 22:03:51 GMT"])),
            .json(["error": "invalid_dpop_proof"], status: 401))
        _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        let now = DPoPSession.seconds
        #expect(try session.proofs.map(\.issuedAt) == [now - 5, now - 5 + 86_400])
        #expect(session.store.offset(for: try url("https://as.example").origin) == 12 * 86_400)
    }

    @Test("corrects, then answers the challenge that the skew had hidden", .covers("R52")) func skewAndNonce()
        async throws
    {
        let session = try DPoPSession(
            .json(["error": "invalid_dpop_proof"], status: 401, try fields(["Date": Self.ahead])),
            .json(
                nonceChallenge, status: 400, try fields(["Date": Self.ahead, "DPoP-Nonce": "n"])),
            .json([:]), .json([:]))
        _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        #expect(session.transport.requests.count == 3)
        #expect(Set(try session.proofs.compactMap(\.jti)).count == 3)
    }

    @Test("corrects once only", .covers("R52")) func correctsOnce() async throws {
        let session = try DPoPSession(
            .json(["error": "invalid_dpop_proof"], status: 401, try fields(["Date": Self.ahead])),
            .json(["error": "invalid_dpop_proof"], status: 401, try fields(["Date": Self.behind])),
            .json([:]))
        let response = try await session.client.sendToAuthorizationServer(
            tokenRequest(), key: session.key)
        #expect(response.status == 401)
        #expect(session.transport.requests.count == 2)
    }

    @Test("leaves a bad proof that time does not explain", arguments: [same, nil, "yesterday"])
    func unexplained(date: String?) async throws {
        let session = try DPoPSession(
            .json(
                ["error": "invalid_dpop_proof"], status: 401, try fields(["Date": date ?? "-"])),
            .json([:]))
        let response = try await session.client.sendToAuthorizationServer(
            tokenRequest(), key: session.key)
        #expect(response.status == 401)
        #expect(session.transport.requests.count == 1)
    }

    @Test("believes nobody more than a day", .covers("R52")) func clamped() async throws {
        let session = try DPoPSession(
            .json([:], try fields(["Date": "Fri, 20 Nov 2099 22:03:51 GMT"])), .json([:]))
        for _ in 0..<2 {
            _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        }
        let now = DPoPSession.seconds
        #expect(try session.proofs[1].issuedAt == now - 5 + 86_400)
    }
}
