import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@testable import OAuthDPoP

@Suite("Requests of an authorization server") struct AuthorizationServerRequestTests {
    @Test(
        "answers a nonce challenge once, with a new jti and the same body", .covers("R53", "R57", "B7", "B9"),
        arguments: [400, 401])
    func challenge(status: Int) async throws {
        let session = try DPoPSession(
            .json(nonceChallenge, status: status, try fields(["DPoP-Nonce": "n1"])), .json([:]))
        let request = try tokenRequest()
        let response = try await session.client.sendToAuthorizationServer(request, key: session.key)
        #expect(response.status == 200)
        let proofs = try session.proofs
        #expect(proofs.map(\.nonce) == [nil, "n1"])
        #expect(Set(proofs.compactMap(\.jti)).count == 2)
        let sent = session.transport.requests
        #expect(
            sent.map(\.body.bytes) == [request.body.bytes, request.body.bytes])
        #expect(sent.allSatisfy { $0.needsFreshConnection })
    }

    @Test("has one time limit for both attempts, which the user's choice does not change") func deadline()
        async throws
    {
        let session = try DPoPSession(
            .json(nonceChallenge, status: 400, try fields(["DPoP-Nonce": "n1"])), .json([:]))
        var request = try tokenRequest()
        request.timeouts = .rotation
        _ = try await session.client.sendToAuthorizationServer(request, key: session.key)
        let sent = session.transport.requests.map(\.timeouts)
        let (first, second) = (try #require(sent.first?.total), try #require(sent.last?.total))
        // What it took to prepare a request counts too.
        #expect(first <= .seconds(90) && second < first)
        #expect(sent.first?.lasting(.seconds(600)) == sent.first)
        #expect(sent.last?.lasting(.seconds(600)) == sent.last)
    }

    @Test("gives up when the new nonce is refused too", .covers("R57", "B9")) func refusedTwice() async throws
    {
        let answer = ScriptedTransport.Answer.json(
            nonceChallenge, status: 400, try fields(["DPoP-Nonce": "n1"]))
        let session = try DPoPSession(answer, answer, answer)
        let error = await #expect(throws: OAuthError.self) {
            try await session.client.sendToAuthorizationServer(
                tokenRequest(), key: session.key, endpoint: .refresh)
        }
        #expect(error?.code == .nonceRefused)
        #expect(error?.endpoint == .refresh)
        #expect(session.transport.requests.count == 2)
    }

    @Test("does not try again where no nonce came with the challenge") func withoutNonce() async throws {
        let session = try DPoPSession(.json(nonceChallenge, status: 400), .json([:]))
        await #expect(throws: OAuthError(.nonceRefused, endpoint: .token)) {
            try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        }
        #expect(session.transport.requests.count == 1)
    }

    @Test(
        "sends nothing again for a nonce field alone", .covers("R42", "R56", "B11"),
        arguments: [
            (200, "invalid_grant"), (400, "invalid_grant"), (401, "invalid_client"),
            (403, "use_dpop_nonce"),
            (500, "use_dpop_nonce"), (200, "use_dpop_nonce"),
        ]) func nonceFieldAlone(status: Int, code: String) async throws
    {
        let session = try DPoPSession(
            .json(["error": .string(code)], status: status, try fields(["DPoP-Nonce": "n2"])), .json([:]))
        let response = try await session.client.sendToAuthorizationServer(
            tokenRequest(), key: session.key)
        #expect(response.status == status)
        #expect(session.transport.requests.count == 1)
        // The nonce is still stored for the next request.
        _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        #expect(try session.proofs.last?.nonce == "n2")
    }

    @Test("never sends a token, and leaves the query out of htu", .covers("R50", "B8")) func claims()
        async throws
    {
        let session = try DPoPSession(.json([:]))
        _ = try await session.client.sendToAuthorizationServer(tokenRequest(), key: session.key)
        let proof = try #require(try session.proofs.first)
        #expect(proof.claims["htu"]?.string == "https://as.example/token")
        #expect(proof.claims["htm"]?.string == "POST")
        #expect(proof.names == ["htm", "htu", "iat", "jti"])
        #expect(session.transport.requests[0].headerFields[.authorization] == nil)
    }

    @Test("does not send again what may have arrived", .covers("R42"), arguments: [true, false])
    func transportFailure(wasSent: Bool) async throws {
        let failure = TransportError(.connectionLost, requestWasSent: wasSent)
        let session = try DPoPSession(.failure(failure), .json([:]))
        let error = await #expect(throws: OAuthError.self) {
            try await session.client.sendToAuthorizationServer(
                tokenRequest(), key: session.key, endpoint: .refresh)
        }
        #expect(error?.code == .transport(failure))
        #expect(error?.refreshVerdict == (wasSent ? .unanswered : .nothingSent))
        #expect(session.transport.requests.count == 1)
    }

    @Test("follows no redirect", .covers("R62"), arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let session = try DPoPSession(
            .response(status, [.location: "https://as.example/other"], []), .json([:]))
        let response = try await session.client.sendToAuthorizationServer(
            tokenRequest(), key: session.key)
        #expect(response.status == status)
        #expect(session.transport.requests.count == 1)
    }

    @Test("reads no more than 64 KiB of an answer") func longAnswer() async throws {
        let session = try DPoPSession(.text(String(repeating: "x", count: 70000)))
        let error = await #expect(throws: OAuthError.self) {
            try await session.client.sendToAuthorizationServer(
                tokenRequest(), key: session.key, endpoint: .refresh)
        }
        // The refresh token may be spent, so the error must say that something was sent.
        #expect(error?.refreshVerdict == .unanswered)
    }
}
