import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

/// How the client reads the responses of the official server. The tables come from protocol:AS-errors and protocol:Differences-between-servers, not
/// from the recordings.
@Suite("Recorded answers") struct RecordedAnswerTests {
    /// The same response for every request, as of a server that refuses every proof.
    private func session(_ number: Int) throws -> ServerSession {
        let answer = try Transcript(number).answer
        return try ServerSession([answer, answer])
    }

    private func failure(_ work: () async throws(OAuthError) -> Void) async -> OAuthError? {
        do throws(OAuthError) {
            try await work()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "accepted pushed requests", .covers("R28", "13.7"),
        arguments: [101, 102, 104, 105, 106, 107, 123, 124, 153, 155, 160, 195])
    func pushed(number: Int) async throws {
        let session = try session(number)
        let answer = try await session.push()
        #expect(answer.requestURI.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect([299, 300].contains(answer.expiresIn))
        #expect(session.requests.count == 1)
    }

    @Test(
        "refused pushed requests",
        arguments: [
            (103, "invalid_request", true), (110, "invalid_request", true), (112, "invalid_request", true),
            (113, "invalid_request", true), (114, "invalid_request", true),
            (111, "invalid_request", true), (120, "invalid_scope", false), (121, "invalid_scope", false),
            (122, "invalid_scope", false), (125, "invalid_client_metadata", true),
            (135, "unsupported_response_type", false), (141, "invalid_client_metadata", true),
            (143, "invalid_client", true),
        ])
    func pushRefused(number: Int, error: String, overRedirect: Bool) async throws {
        let session = try session(number)
        let failure = await failure { () throws(OAuthError) in _ = try await session.push() }
        guard case .response(let response) = failure?.code else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(response.status == 400)
        #expect(response.error == error)
        #expect(response.description?.isEmpty == false)
        #expect(failure?.refusesRedirectURI == overRedirect)
        #expect(session.requests.count == 1)
    }

    @Test("the challenge and the answer after it", .covers("R74")) func challenged() async throws {
        for (challenge, success) in [(100, 101), (300, 301), (500, 501), (620, 600)] {
            let recorded = try Transcript(challenge)
            let session = try ServerSession(recorded.answer, Transcript(success).answer)
            switch challenge {
            case 100: _ = try await session.push()
            case 300: _ = try await session.exchange()
            case 500: _ = try await session.refresh()
            default: try await session.revoke()
            }
            #expect(session.requests.count == 2)
            #expect(session.requests.first?.body.bytes == session.requests.last?.body.bytes)
            #expect(try session.session.proofs.map(\.nonce) == [nil, recorded.nonce])
            let origin = try url("https://pds.test").origin
            let kept = session.session.store.nonce(for: origin, role: .authorizationServer)
            #expect(try kept == Transcript(success).nonce)
        }
    }

    @Test("challenges that never end", arguments: [100, 174, 196, 300, 500])
    func endless(number: Int) async throws {
        let session = try session(number)
        let failure = await failure { () throws(OAuthError) in _ = try await session.refresh() }
        #expect(failure?.code == .nonceRefused)
        #expect(failure?.refreshVerdict == .notNow(OAuthError.InconclusiveAnswer(status: 401)))
        #expect(session.requests.count == 2)
    }

    @Test(
        "refused codes",
        arguments: [
            (302, 400, "invalid_grant"), (310, 400, "invalid_grant"), (311, 400, "invalid_grant"),
            (313, 400, "invalid_grant"), (316, 400, "invalid_grant"), (317, 401, "invalid_dpop_proof"),
            (340, 400, "invalid_grant"), (343, 401, "invalid_dpop_proof"), (325, 404, "not_found"),
        ])
    func codeRefused(number: Int, status: Int, error: String) async throws {
        let session = try session(number)
        let failure = await failure { () throws(OAuthError) in _ = try await session.exchange() }
        guard case .response(let response) = failure?.code else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(response.status == status)
        #expect(response.error == error)
        #expect(failure?.endpoint == .token)
        #expect(failure?.refusesRedirectURI == false)
    }

    @Test(
        "refused refreshes",
        arguments: [
            (304, .invalidGrant), (505, .invalidGrant), (507, .invalidGrant), (510, .invalidGrant),
            (512, .invalidGrant), (514, .notNow(OAuthError.InconclusiveAnswer(status: 401))),
            (516, .notNow(OAuthError.InconclusiveAnswer(status: 401))), (518, .invalidGrant),
            (530, .invalidGrant), (602, .invalidGrant),
        ] as [(Int, OAuthError.RefreshVerdict)])
    func refreshRefused(number: Int, verdict: OAuthError.RefreshVerdict) async throws {
        let session = try session(number)
        let failure = await failure { () throws(OAuthError) in _ = try await session.refresh() }
        #expect(failure?.refreshVerdict == verdict)
        #expect(failure?.endpoint == .refresh)
    }

    @Test("granted tokens", arguments: [301, 318, 320, 330, 331, 420, 425, 501, 504, 515, 521, 531, 612])
    func granted(number: Int) async throws {
        let session = try session(number)
        let tokens = try await session.refresh()
        try tokens.validate(for: .atproto)
        #expect(tokens.refreshToken?.reveal().hasPrefix("ref-") == true)
        #expect(session.requests.count == 1)
    }

    @Test(
        "revocations, which succeed whatever they did", .covers("R75"),
        arguments: [600, 605, 610, 615, 630, 640, 641, 650, 655])
    func revoked(number: Int) async throws {
        try await session(number).revoke()
    }

    @Test("revocations that are refused", .covers("13.5"), arguments: [(625, 401), (635, 400), (642, 400)])
    func revocationRefused(number: Int, status: Int) async throws {
        let session = try session(number)
        let failure = await failure { () throws(OAuthError) in try await session.revoke() }
        guard case .response(let response) = failure?.code else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(response.status == status)
    }

    private enum Outcome { case ok, invalidToken, otherRefusal, nonceRefused }

    @Test(
        "answers of the resource server", .covers("13.9"),
        arguments: [
            (403, .ok), (417, .ok), (421, .ok), (503, .ok), (411, .invalidToken), (412, .invalidToken),
            (410, .invalidToken), (422, .invalidToken), (502, .invalidToken), (506, .invalidToken),
            (601, .invalidToken), (303, .invalidToken), (400, .otherRefusal), (401, .otherRefusal),
            (405, .otherRefusal), (407, .otherRefusal), (409, .otherRefusal), (428, .otherRefusal),
            (402, .nonceRefused), (404, .nonceRefused),
        ] as [(Int, Outcome)])
    private func resource(number: Int, expected: Outcome) async throws {
        let recorded = try Transcript(number)
        let date = try recorded.date
        let session = try DPoPSession(answers: [recorded.answer, recorded.answer])
        let client = DPoPClient(
            transport: session.transport, nonces: session.store, clock: session.store, now: { date })
        let request = TransportRequest(
            method: .get, url: try url("https://pds.test/xrpc/com.atproto.server.getSession"))
        let outcome: Outcome
        do throws(OAuthError) {
            let answer = try await client.sendToResourceServer(
                request, key: session.key, accessToken: AccessToken("at"))
            switch answer {
            case .answered(let response): outcome = response.status == 200 ? .ok : .otherRefusal
            case .invalidToken: outcome = .invalidToken
            }
        } catch {
            outcome = error.code == .nonceRefused ? .nonceRefused : .otherRefusal
        }
        #expect(outcome == expected)
        #expect(session.transport.requests.count == (expected == .nonceRefused ? 2 : 1))
        let sent = session.transport.requests.map { $0.headerFields[.authorization] }
        #expect(sent.allSatisfy { $0 == "DPoP at" })
    }

    @Test("a proof ten minutes old, refused before any nonce is asked for, and put right")
    func skewed() async throws {
        let refused = try Transcript(171)
        let date = try refused.date.addingTimeInterval(-600)
        let session = try ServerSession(refused.answer, Transcript(100).answer, Transcript(101).answer)
        let server = AuthorizationServer(
            metadata: session.server.metadata, transport: session.session.transport,
            nonces: session.session.store, clock: session.session.store,
            assertions: nil, now: { date })
        _ = try await server.push(
            PushedAuthorizationRequest(
                client: ServerSession.client, redirectURI: ServerSession.redirectURI,
                scope: Scope("atproto"), state: State(), challenge: ServerSession.verifier.challenge),
            key: session.session.key)
        let proofs = try session.session.proofs
        #expect(proofs.count == 3)
        #expect(Set(proofs.compactMap(\.jti)).count == 3)
        let first = try #require(proofs[0].issuedAt)
        #expect(proofs[1].issuedAt == first + 600)
        #expect(try proofs[2].nonce == Transcript(100).nonce)
    }
}
