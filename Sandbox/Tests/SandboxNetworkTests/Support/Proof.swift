import Foundation

@testable import SandboxNetwork

/// A DPoP proof as a test wants it. The default is a valid one.
struct Proof: Sendable {
    enum Claim: Sendable {
        case right
        case absent
        case literal(String)
    }

    var key: TestKey?
    var type: String? = "dpop+jwt"
    var method: String?
    var url: String?
    /// Seconds ahead of the sandbox's clock.
    var skew = 0
    var nonce = Claim.right
    var tokenHash = Claim.right
    var identifier: String? = TestKey.random()
    var extra: [JSONMember] = []
    var privateKeyInside = false
    var signatureBroken = false
    /// A text that is sent in place of a proof.
    var literal: String?

    /// A fresh proof each time: `jti` must differ.
    static var right: Proof { Proof() }
    static var withoutNonce: Proof { Proof(nonce: .absent) }

    func text(_ defaultKey: TestKey, method: String, url: String, nonce: String?, now: Int, token: String?)
        -> String
    {
        if let literal { return literal }
        var payload: [JSONMember] = []
        func add(_ name: String, _ value: String?) {
            if let value { payload.append(JSONMember(name: name, value: .string(value))) }
        }
        add("jti", identifier)
        add("htm", self.method ?? method)
        add("htu", self.url ?? String(url.prefix { $0 != "?" }))
        payload.append(JSONMember(name: "iat", value: JSONValue(now + skew)))
        switch self.nonce {
        case .right: add("nonce", nonce)
        case .absent: break
        case .literal(let text): add("nonce", text)
        }
        switch tokenHash {
        case .right: add("ath", token.map { TestKey.hash($0) })
        case .absent: break
        case .literal(let text): add("ath", text)
        }
        var header = [JSONMember(name: "alg", value: "ES256")]
        if let type { header.append(JSONMember(name: "typ", value: .string(type))) }
        let jwt = (key ?? defaultKey).jwt(
            header: header, payload: .object(payload + extra), withPrivateKey: privateKeyInside)
        return signatureBroken ? TestKey.withBrokenSignature(jwt) : jwt
    }
}

extension TestKey {
    /// The same JWT with one bit of its signature changed.
    static func withBrokenSignature(_ jwt: String) -> String {
        let parts = jwt.split(separator: ".")
        guard parts.count == 3 else { return jwt }
        var signature = Base64URL.decode(parts[2]) ?? []
        signature[0] ^= 1
        return parts[0] + "." + parts[1] + "." + base64URL(Data(signature))
    }
}
