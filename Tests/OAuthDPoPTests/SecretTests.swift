import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@testable import OAuthDPoP

@Suite("State") struct StateTests {
    @Test("is at least 128 random bits, and another each time", .covers("R36"))
    func random() throws {
        let states = try (0..<50).map { _ in try State().value }
        #expect(Set(states).count == 50)
        #expect(states.allSatisfy { Base64URL.decode($0)?.count == 32 })
    }

    @Test("matches itself alone", .covers("R36"))
    func matches() throws {
        let state = try State()
        #expect(state.matches(state.value))
        #expect(!state.matches(state.value + "A"))
        #expect(!state.matches(String(state.value.dropLast())))
        #expect(!state.matches(""))
        #expect(!state.matches(try State().value))
    }
}

@Suite("CodeVerifier") struct CodeVerifierTests {
    @Test("makes the challenge of RFC 7636, Appendix B", .covers("R35"))
    func appendixB() throws {
        let vector = try Vectors.rfc("pkce")
        let verifier = CodeVerifier(value: try #require(vector["verifier"]?.string))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(verifier.challenge == vector["challenge"]?.string)
    }

    @Test("is of 43 allowed characters, and another each time", .covers("R35"))
    func shape() throws {
        let values = try (0..<50).map { _ in try CodeVerifier().value }
        #expect(Set(values).count == 50)
        #expect(values.allSatisfy { $0.count == 43 && Base64URL.decode($0) != nil })
    }
}

@Suite("Secrets") struct SecretTests {
    @Test("print nothing of themselves, however they are printed", .covers("B21"))
    func redacted() throws {
        let key = try DPoPKey()
        let secrets: [(any Sendable, String)] = [
            (AccessToken("at-secret"), "at-secret"), (RefreshToken("rt-secret"), "rt-secret"),
            (AuthorizationCode("code-secret"), "code-secret"), (State(value: "state-secret"), "state-secret"),
            (CodeVerifier(value: "verifier-secret"), "verifier-secret"),
            (key, try #require(try DecodedKey(key).d)),
        ]
        for (value, secret) in secrets {
            #expect("\(value)" == "<redacted>")
            #expect(!String(reflecting: value).contains(secret))
        }
        for (value, secret) in secrets {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.contains(secret))
        }
    }

    @Test("are told apart by their fingerprints")
    func fingerprints() {
        #expect(RefreshToken("abc").fingerprint == "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
        #expect(AccessToken("abc").fingerprint == AuthorizationCode("abc").fingerprint)
        #expect(RefreshToken("abc") == RefreshToken("abc"))
        #expect(RefreshToken("abc") != RefreshToken("abd"))
        #expect(AccessToken("tok").reveal() == "tok")
    }
}
