import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@testable import OAuthDPoP

@Suite("Requests of a resource server") struct ResourceRequestTests {
    let token = AccessToken("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")

    @Test(
        "sends the token and its hash, and answers a challenge in the header", .covers("R57", "X12"),
        arguments: [
            nonceChallengeField, #"Bearer, DPoP error="use_dpop_nonce""#,
            #"Bearer realm="a, DPoP", dpop ERROR=use_dpop_nonce"#,
        ]) func challenge(field: String) async throws
    {
        let session = try DPoPSession(
            .text("", status: 401, try fields(["WWW-Authenticate": field, "DPoP-Nonce": "n1"])),
            .json(["ok": true]))
        let response = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        guard case .answered(let answer) = response else {
            Issue.record("not answered")
            return
        }
        #expect(answer.status == 200)
        let proofs = try session.proofs
        #expect(proofs.map(\.nonce) == [nil, "n1"])
        #expect(proofs[1].names == ["ath", "htm", "htu", "iat", "jti", "nonce"])
        #expect(proofs[1].claims["ath"]?.string == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(proofs[1].claims["htu"]?.string == "https://pds.example/xrpc/a.b.c")
        #expect(
            session.transport.requests.allSatisfy {
                $0.headerFields[.authorization] == "DPoP \(token.reveal())"
            })
    }

    @Test("answers a challenge that is only in the body", .covers("R57")) func challengeInBody() async throws
    {
        let session = try DPoPSession(
            .json(nonceChallenge, status: 401, try fields(["DPoP-Nonce": "n1"])), .json([:]))
        _ = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        #expect(session.transport.requests.count == 2)
    }

    @Test("takes no other scheme's error for a challenge", .covers("R58")) func otherScheme() async throws {
        let session = try DPoPSession(
            .text(
                "", status: 401,
                try fields([
                    "WWW-Authenticate": #"DPoP algs="ES256", Bearer error="use_dpop_nonce""#,
                    "DPoP-Nonce": "n1",
                ])), .json([:]))
        _ = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        #expect(session.transport.requests.count == 1)
    }

    @Test("says when the token is no longer good, and still shows the answer") func invalidToken()
        async throws
    {
        let session = try DPoPSession(
            .json(
                ["error": "invalid_token", "message": "Token expired"], status: 401,
                try fields(["WWW-Authenticate": #"DPoP algs="ES256", error="invalid_token""#])))
        let response = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        guard case .invalidToken(let answer) = response else {
            Issue.record("not recognised")
            return
        }
        let body = try await answer.body.collect(upTo: 1000)
        #expect(try JSONParser.parse(body)["message"]?.string == "Token expired")
    }

    @Test("hands on other answers without reading them", arguments: [200, 400, 403, 404, 500])
    func streams(status: Int) async throws {
        let session = try DPoPSession(.text("a long answer", status: status))
        let response = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        guard case .answered(let answer) = response else {
            Issue.record("not answered")
            return
        }
        #expect(!session.transport.bodies[0].wasRead)
        #expect(try await answer.body.collect(upTo: 100) == Array("a long answer".utf8))
    }

    @Test("keeps the nonces of a host's two roles apart", .covers("R56")) func roles() async throws {
        let session = try DPoPSession(
            .json([:], try fields(["DPoP-Nonce": "as"])), .json([:], try fields(["DPoP-Nonce": "rs"])),
            .json([:]), .json([:]))
        var request = try tokenRequest()
        request.url = try url("https://both.example/token")
        var call = try resourceRequest()
        call.url = try url("https://both.example/xrpc/a.b.c")
        for _ in 0..<2 {
            _ = try await session.client.sendToAuthorizationServer(request, key: session.key)
            _ = try await session.client.sendToResourceServer(
                call, key: session.key, accessToken: token)
        }
        #expect(try session.proofs.map(\.nonce) == [nil, nil, "as", "rs"])
    }

    @Test("keeps the nonces of two origins apart", .covers("R56")) func origins() async throws {
        let session = try DPoPSession(.json([:], try fields(["DPoP-Nonce": "one"])), .json([:]))
        var other = try resourceRequest()
        other.url = try url("https://pds.example:8443/xrpc/a.b.c")
        _ = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        _ = try await session.client.sendToResourceServer(
            other, key: session.key, accessToken: token)
        #expect(try session.proofs.map(\.nonce) == [nil, nil])
    }

    @Test(
        "takes no nonce that is not one", .covers("B6"),
        arguments: ["a\"b", "", String(repeating: "n", count: 600)])
    func badNonce(nonce: String) async throws {
        let session = try DPoPSession(.json([:], try fields(["DPoP-Nonce": nonce])), .json([:]))
        for _ in 0..<2 {
            _ = try await session.client.sendToResourceServer(
                resourceRequest(), key: session.key, accessToken: token)
        }
        #expect(try session.proofs.map(\.nonce) == [nil, nil])
    }

    @Test("takes none of two nonces") func twoNonces() async throws {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let both = HTTPFields([HTTPField(name: name, value: "n1"), HTTPField(name: name, value: "n2")])
        let session = try DPoPSession(.json([:], both), .json([:]))
        for _ in 0..<2 {
            _ = try await session.client.sendToResourceServer(
                resourceRequest(), key: session.key, accessToken: token)
        }
        #expect(try session.proofs.map(\.nonce) == [nil, nil])
    }

    @Test("cuts a 401 that never ends") func longRefusal() async throws {
        let session = try DPoPSession(.text(String(repeating: "x", count: 100_000), status: 401))
        let response = try await session.client.sendToResourceServer(
            resourceRequest(), key: session.key, accessToken: token)
        guard case .answered(let answer) = response else {
            Issue.record("not answered")
            return
        }
        #expect(try await answer.body.collect(upTo: 100_000).count == 65536)
        #expect(session.transport.bodies[0].wasCancelled)
    }
}
