import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@testable import OAuthDPoP

/// The parts of a key in the form that the vault stores.
struct DecodedKey {
    let json: JSONValue
    var d: String? { json["d"]?.string }

    init(_ key: DPoPKey) throws {
        json = try JSONParser.parse(key.privateKeyText())
    }

    func replacing(_ name: String, _ value: JSONValue?) -> String {
        var object = json.object ?? JSONObject()
        object[name] = value
        return JSONValue.object(object).text
    }
}

@Suite("DPoPKey") struct DPoPKeyTests {
    @Test("has the thumbprint of RFC 9449, section 6.1")
    func thumbprint() throws {
        let vectors = try #require(try Vectors.rfc("jwk_thumbprint").array)
        let vector = try #require(vectors.first { $0["jwk"]?["crv"] == "P-256" })
        let key = try P256PublicKey(
            x: #require(vector["jwk"]?["x"]?.string.flatMap { Base64URL.decode($0) }),
            y: #require(vector["jwk"]?["y"]?.string.flatMap { Base64URL.decode($0) }))
        #expect(
            PublicJWK(key).thumbprint
                == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(PublicJWK(key).thumbprint == vector["sha256"]?.string)
    }

    @Test("comes back from its text as the same key")
    func roundTrip() async throws {
        let key = try DPoPKey()
        let again = try DPoPKey(privateKeyText: key.privateKeyText())
        #expect(again.thumbprint == key.thumbprint)
        #expect(again.privateKeyText() == key.privateKeyText())
        let proof = try await DPoPProof.make(
            key: again, method: .get, url: HTTPURL(validating: "https://pds.example/"),
            issuedAt: DPoPSession.now)
        #expect(try ReadProof(proof).header["jwk"]?["x"] == DecodedKey(key).json["x"])
    }

    @Test("refuses a public key that is another's", .covers("B16"))
    func mismatch() throws {
        let decoded = try DecodedKey(try DPoPKey())
        let other = try DecodedKey(try DPoPKey())
        var mixed = try #require(decoded.json.object)
        mixed["x"] = other.json["x"]
        mixed["y"] = other.json["y"]
        let key = try DPoPKey(privateKeyText: JSONValue.object(mixed).text)
        #expect(throws: CryptographyError.keyMismatch) { try key.verify() }
    }

    @Test("refuses what is no key", .covers("B16"))
    func refuses() throws {
        let decoded = try DecodedKey(try DPoPKey())
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 32))
        let texts = [
            "", "{}", "[]", decoded.replacing("d", nil), decoded.replacing("x", nil),
            decoded.replacing("kty", "RSA"), decoded.replacing("crv", "P-384"),
            decoded.replacing("d", .string(zero)), decoded.replacing("d", "AAAA"),
            decoded.replacing("d", "not base64!"), decoded.replacing("y", .string(zero)),
        ]
        for text in texts {
            #expect(throws: CryptographyError.self) { try DPoPKey(privateKeyText: text).verify() }
        }
    }

    @Test("is another each time", .covers("R55"))
    func fresh() throws {
        #expect(try DPoPKey().thumbprint != DPoPKey().thumbprint)
    }
}

@Suite("DPoPProof") struct DPoPProofTests {
    private let url: HTTPURL

    init() throws {
        url = try HTTPURL(validating: "https://PDS.example:8443/xrpc/a.b.c?x=1&y=%2F")
    }

    @Test("says what RFC 9449 asks for, and nothing else", .covers("R49", "R51", "B4", "B5", "B6", "C11"))
    func claims() async throws {
        let key = try DPoPKey()
        let text = try await DPoPProof.make(key: key, method: .post, url: url, issuedAt: DPoPSession.now)
        let proof = try ReadProof(text)
        #expect(proof.header["typ"] == "dpop+jwt")
        #expect(proof.header["alg"] == "ES256")
        #expect(proof.header.object?.members.map(\.name) == ["typ", "alg", "jwk"])
        #expect(proof.header["jwk"]?.object?.members.map(\.name) == ["crv", "kty", "x", "y"])
        #expect(proof.names == ["htm", "htu", "iat", "jti"])
        #expect(proof.claims["htm"] == "POST")
        #expect(proof.claims["htu"] == "https://pds.example:8443/xrpc/a.b.c")
        #expect(proof.issuedAt == DPoPSession.seconds)
    }

    @Test("carries a nonce and the hash of the token where there are some", .covers("R50", "B6", "B8"))
    func optionalClaims() async throws {
        let vector = try Vectors.rfc("dpop_ath")
        let token = AccessToken(try #require(vector["access_token"]?.string))
        let text = try await DPoPProof.make(
            key: DPoPKey(), method: .get, url: url, issuedAt: DPoPSession.now, nonce: "n-1",
            accessToken: token)
        let proof = try ReadProof(text)
        #expect(proof.names == ["ath", "htm", "htu", "iat", "jti", "nonce"])
        #expect(proof.nonce == "n-1")
        #expect(proof.claims["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(proof.claims["ath"] == vector["ath"])
    }

    @Test("has an identifier of 128 bits of its own each time", .covers("R53", "B7"))
    func identifiers() async throws {
        let key = try DPoPKey()
        var identifiers: [String] = []
        for _ in 0..<100 {
            let text = try await DPoPProof.make(key: key, method: .get, url: url, issuedAt: DPoPSession.now)
            identifiers.append(try #require(ReadProof(text).jti))
        }
        #expect(Set(identifiers).count == 100)
        #expect(identifiers.allSatisfy { Base64URL.decode($0)?.count == 16 })
    }
}
