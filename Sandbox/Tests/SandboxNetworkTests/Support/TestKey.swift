import Foundation

@testable import SandboxNetwork

/// A DPoP key and the proofs it signs, written apart from the sandbox's verifier.
struct TestKey: Sendable {
    private let key = P256.PrivateKey()

    var jwk: [JSONMember] {
        [
            JSONMember(name: "kty", value: "EC"),
            JSONMember(name: "crv", value: "P-256"),
            JSONMember(name: "x", value: .string(Self.base64URL(Data(key.publicKey.x)))),
            JSONMember(name: "y", value: .string(Self.base64URL(Data(key.publicKey.y)))),
        ]
    }

    /// Signs a JWT with the given header members (the `jwk` is added) and claims.
    func jwt(header: [JSONMember], payload: JSONValue, withPrivateKey: Bool = false) -> String {
        var jwk = jwk
        if withPrivateKey {
            jwk.append(JSONMember(name: "d", value: .string(Self.base64URL(Data(key.secret)))))
        }
        return signed(header + [JSONMember(name: "jwk", value: .object(jwk))], payload)
    }

    /// Signs a JWT with exactly this header.
    func signed(_ header: [JSONMember], _ payload: JSONValue) -> String {
        let header = JSONValue.object(header).text
        let input = Self.base64URL(Data(header.utf8)) + "." + Self.base64URL(Data(payload.text.utf8))
        return input + "." + Self.base64URL(Data(key.signature(for: Array(input.utf8))))
    }

    static func hash(_ text: String) -> String {
        base64URL(Data(SHA256.digest(of: text.utf8)))
    }

    static func random() -> String {
        base64URL(Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
    }

    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }
}
