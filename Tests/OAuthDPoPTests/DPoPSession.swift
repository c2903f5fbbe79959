import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

/// A client with a key, a store and a scripted network, at a fixed time.
struct DPoPSession {
    /// Fri, 20 Nov 2026 22:03:51 GMT.
    static let seconds: Int64 = 1_795_212_231
    static let now = Date(timeIntervalSince1970: Double(seconds))

    let key: DPoPKey
    let store = ServerMemory()
    let transport: ScriptedTransport

    init(_ answers: ScriptedTransport.Answer...) throws {
        key = try DPoPKey()
        transport = ScriptedTransport(answers)
    }

    init(answers: [ScriptedTransport.Answer]) throws {
        key = try DPoPKey()
        transport = ScriptedTransport(answers)
    }

    var client: DPoPClient {
        DPoPClient(transport: transport, nonces: store, clock: store, now: { Self.now })
    }

    /// The decoded proofs of all requests so far.
    var proofs: [ReadProof] {
        get throws { try transport.requests.map { try ReadProof(#require($0.headerFields.dpopProof)) } }
    }
}

/// A decoded proof. Checks the signature with the key in the header.
struct ReadProof {
    let header: JSONValue
    let claims: JSONValue

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let decoded = try parts.map { try #require(Base64URL.decode($0)) }
        header = try JSONParser.parse(decoded[0])
        claims = try JSONParser.parse(decoded[1])
        let jwk = header["jwk"]
        let x = try #require(jwk?["x"]?.string.flatMap { Base64URL.decode($0) })
        let y = try #require(jwk?["y"]?.string.flatMap { Base64URL.decode($0) })
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        try #require(try P256PublicKey(x: x, y: y).verifies(decoded[2], of: signed))
    }

    var jti: String? { claims["jti"]?.string }
    var nonce: String? { claims["nonce"]?.string }
    var issuedAt: Int64? { claims["iat"]?.integer }
    var names: [String] { (claims.object?.members ?? []).map(\.name).sorted() }
}

/// The URL of a valid text.
func url(_ text: String) throws -> HTTPURL { try HTTPURL(validating: text) }

/// Header fields by their names on the wire.
func fields(_ pairs: KeyValuePairs<String, String>) throws -> HTTPFields {
    var fields: HTTPFields = [:]
    for (name, value) in pairs {
        fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
}

/// The demands for a nonce of an authorization server and of a resource server.
let nonceChallenge: JSONValue = ["error": "use_dpop_nonce"]
let nonceChallengeField = #"DPoP algs="ES256", error="use_dpop_nonce", error_description="nonce, please""#

func tokenRequest() throws -> TransportRequest {
    TransportRequest(
        method: .post, url: try url("https://as.example/token?tenant=1"),
        headerFields: [.contentType: "application/x-www-form-urlencoded"],
        body: .bytes(Array("grant_type=refresh_token".utf8)), needsFreshConnection: true)
}

func resourceRequest() throws -> TransportRequest {
    TransportRequest(method: .get, url: try url("https://pds.example/xrpc/a.b.c?limit=1"))
}
