import ATPNetworking
import BskyAuthCovers
import HTTPTypes
import OAuthDPoP
import Testing

@Suite("WWWAuthenticate") struct WWWAuthenticateTests {
    @Test(
        "finds the error that belongs to DPoP", .covers("R58"),
        arguments: [
            (#"DPoP error="use_dpop_nonce""#, "use_dpop_nonce"),
            (#"DPoP error=use_dpop_nonce"#, "use_dpop_nonce"),
            (#"dpop ERROR = "use_dpop_nonce""#, "use_dpop_nonce"),
            (
                #"DPoP algs="RS256 ES256", error="invalid_token", error_description="a, b=\"c\" d""#,
                "invalid_token"
            ),
            (#"Bearer, DPoP error="use_dpop_nonce""#, "use_dpop_nonce"),
            (
                #"Bearer realm="x", error="invalid_token", DPoP algs="ES256", error="use_dpop_nonce""#,
                "use_dpop_nonce"
            ),
            (#"DPoP algs="ES256", error="e", Bearer error="invalid_token""#, "e"),
            (#"Negotiate YWJj==, DPoP error="e""#, "e"),
            (#"Negotiate abc, DPoP error="e""#, "e"),
            (#"Basic realm="DPoP error=\"x\"", DPoP error="e""#, "e"),
            (#", , DPoP error="e","#, "e"),
            (#"DPoP error="a", error="b""#, "a"),
            (#"DPoP, DPoP error="e""#, "e"),
            (#"DPoP error="""#, ""),
        ])
    func finds(text: String, error: String) {
        #expect(WWWAuthenticate(text).dpopError == error)
    }

    @Test(
        "finds none where there is none", .covers("R58"),
        arguments: [
            "", "DPoP", #"Bearer error="use_dpop_nonce""#, #"DPoP algs="error=use_dpop_nonce""#,
            #"DPoP algs="ES256", Bearer error="use_dpop_nonce""#, #"error="use_dpop_nonce""#,
            #"DPoP error="unterminated"#, #"DPoPError error="e""#, "DPoP error=", "\"DPoP error=e\"",
        ])
    func none(text: String) {
        #expect(WWWAuthenticate(text).dpopError == nil)
    }

    @Test("gives each scheme its own parameters")
    func parameters() {
        let challenges = WWWAuthenticate(#"Bearer realm="a", scope="x y", DPoP algs="ES256""#).challenges
        #expect(challenges.map(\.scheme) == ["Bearer", "DPoP"])
        #expect(challenges.map(\.parameters) == [["realm": "a", "scope": "x y"], ["algs": "ES256"]])
    }

    @Test("reads several fields, and a broken one does not hide the next")
    func fields() {
        var fields: HTTPFields = [:]
        fields.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=\"broken"))
        fields.append(HTTPField(name: .wwwAuthenticate, value: "DPoP error=\"e\""))
        #expect(WWWAuthenticate(headerFields: fields).dpopError == "e")
    }
}
