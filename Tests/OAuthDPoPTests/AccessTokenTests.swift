import ATPCryptography
import ATPJSON
import OAuthDPoP
import Testing

@Suite("AccessToken") struct AccessTokenTests {
    @Test("has the claims of a JWT, and none of anything else")
    func claims() {
        let claims: JSONValue = ["exp": 7]
        let payload = Base64URL.encode(Array(claims.text.utf8))
        #expect(AccessToken("e30.\(payload).not-even-a-signature").claims == claims)
        for text in ["opaque", "a.b", "e30.e30", "e30.e30.c2ln.c2ln", "..", "e30.!.c2ln", ""] {
            #expect(AccessToken(text).claims == nil)
        }
    }

    @Test("says which key it is bound to, or nothing at all")
    func confirmation() {
        func thumbprint(_ claims: String) -> String? {
            AccessToken("e30.\(Base64URL.encode(Array(claims.utf8))).c2ln").confirmedThumbprint
        }
        #expect(thumbprint(#"{"cnf":{"jkt":"abc"}}"#) == "abc")
        for claims in [#"{"cnf":"abc"}"#, #"{"cnf":{}}"#, #"{"jkt":"abc"}"#, "[]", "", "abc"] {
            #expect(thumbprint(claims) == nil)
        }
        for token in ["opaque", "a.b", "e30.e30", "..", "e30.!.c2ln", ""] {
            #expect(AccessToken(token).confirmedThumbprint == nil)
        }
    }
}
