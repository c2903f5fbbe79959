import ATPJSON
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import OAuthDPoP
import Testing

@Suite("TokenResponse") struct TokenResponseTests {
    private let complete: JSONObject = [
        "access_token": "at", "token_type": "DPoP", "refresh_token": "rt",
        "scope": "atproto transition:generic", "expires_in": 3600, "sub": "did:plc:abc",
    ]

    private func read(_ name: String, _ value: JSONValue?) throws(InvalidTokenResponse) -> TokenResponse {
        var object = complete
        object[name] = value
        return try TokenResponse(json: .object(object))
    }

    @Test("reads what is there")
    func complete_() throws {
        let response = try TokenResponse(json: .object(complete))
        #expect(response.accessToken.reveal() == "at")
        #expect(response.refreshToken?.reveal() == "rt")
        #expect(response.tokenType == "DPoP")
        #expect(response.scope?.values == ["atproto", "transition:generic"])
        #expect(response.subject == "did:plc:abc")
        #expect(response.expiresIn == 3600)
        #expect(!response.hasIDToken)
        #expect(response.tokenToRevoke?.reveal() == "rt")
        try response.validate(for: .atproto)
    }

    @Test("reads the recorded answers", arguments: [301, 318, 331, 420, 501, 504, 523])
    func recorded(number: Int) throws {
        let json = try #require(try Transcript(number).body)
        let response = try TokenResponse(json: json)
        try response.validate(for: .atproto)
        #expect(response.refreshToken?.reveal() == json["refresh_token"]?.string)
        #expect(response.subject?.hasPrefix("did:plc:") == true)
    }

    @Test(
        "keeps tokens that come with odd things", .covers("R43"),
        arguments: ["refresh_token", "scope", "sub", "expires_in"])
    func lenient(name: String) throws {
        for value in [nil, JSONValue.null, "", [], -1, true] as [JSONValue?] {
            #expect(try read(name, value).accessToken.reveal() == "at")
        }
    }

    @Test("is nothing without a token")
    func needed() {
        for value in [nil, JSONValue.null, "", 1, ["at"]] as [JSONValue?] {
            do throws(InvalidTokenResponse) {
                _ = try read("access_token", value)
                Issue.record("accepted")
            } catch {
                #expect(error.field == "access_token")
            }
        }
        #expect(throws: InvalidTokenResponse.self) { try TokenResponse(json: []) }
    }

    @Test("keeps a token without a type, to be judged later")
    func noType() throws {
        for value in [nil, JSONValue.null, "", 1, ["DPoP"]] as [JSONValue?] {
            let response = try read("token_type", value)
            #expect(response.accessToken.reveal() == "at")
            #expect(throws: TokenResponseProblem.tokenType("")) { try response.validate(for: .atproto) }
        }
    }

    @Test(
        "says why tokens must not be used", .covers("R43", "S1"),
        arguments: [
            ("token_type", "Bearer", .tokenType("Bearer")), ("sub", nil, .missingSubject),
            ("sub", "", .missingSubject), ("scope", nil, .missingScope), ("scope", "", .missingScope),
            ("scope", "transition:generic", .scopeWithout(Scope.atproto)),
            ("scope", "atproto2", .scopeWithout(Scope.atproto)),
            ("id_token", "eyJ", .idToken), ("id_token", 1, .idToken),
        ] as [(String, JSONValue?, TokenResponseProblem)])
    func refuses(name: String, value: JSONValue?, problem: TokenResponseProblem) throws {
        let response = try read(name, value)
        #expect(throws: problem) { try response.validate(for: .atproto) }
    }

    @Test("takes the type in any case, and revokes what ends the session", .covers("R76"))
    func details() throws {
        try read("token_type", "dpop").validate(for: .atproto)
        try read("id_token", .null).validate(for: .atproto)
        #expect(try read("refresh_token", nil).tokenToRevoke?.reveal() == "at")
    }
}
