@testable import SandboxNetwork

/// A client assertion as a test wants it. The default is a valid one, and a fresh one each time.
struct Assertion: Sendable {
    var key = TestKey()
    var keyID: String? = "key-1"
    var algorithm = "ES256"
    var issuer = Proof.Claim.right
    var subject = Proof.Claim.right
    var audience = Proof.Claim.right
    var identifier = Proof.Claim.right
    /// The age of `iat` in seconds; `nil` leaves the claim out.
    var age: Int? = 0
    /// Seconds until `exp`, if there is one.
    var expires: Int?
    var signatureBroken = false
    var type: String? = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// A text that is sent in place of an assertion.
    var literal: String?

    func fields(_ clientID: String, audience: String, now: Int) -> [(String, String)] {
        let text = literal ?? text(clientID, audience: audience, now: now)
        return [("client_assertion", text)] + (type.map { [("client_assertion_type", $0)] } ?? [])
    }

    private func text(_ clientID: String, audience: String, now: Int) -> String {
        var payload: [JSONMember] = []
        func add(_ name: String, _ claim: Proof.Claim, _ right: String) {
            switch claim {
            case .right: payload.append(JSONMember(name: name, value: .string(right)))
            case .literal(let text): payload.append(JSONMember(name: name, value: .string(text)))
            case .absent: break
            }
        }
        add("iss", issuer, clientID)
        add("sub", subject, clientID)
        add("aud", self.audience, audience)
        add("jti", identifier, TestKey.random())
        if let age { payload.append(JSONMember(name: "iat", value: JSONValue(now - age))) }
        if let expires { payload.append(JSONMember(name: "exp", value: JSONValue(now + expires))) }
        var header = [JSONMember(name: "alg", value: .string(algorithm))]
        if let keyID { header.append(JSONMember(name: "kid", value: .string(keyID))) }
        let jwt = key.signed(header, .object(payload))
        return signatureBroken ? TestKey.withBrokenSignature(jwt) : jwt
    }
}
