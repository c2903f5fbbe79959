import Crypto
import Foundation

/// Signs and verifies the JWTs of password sessions: HS256, so that no OAuth token passes for one.
struct PasswordTokenSigner: Sendable {
    private let key = SymmetricKey(size: .bits256)

    func token(type: String, claims: JSONValue) -> String {
        let header: JSONValue = ["typ": .string(type), "alg": "HS256"]
        let input = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(claims.text.utf8)
        return input + "." + Base64URL.encode(code(for: Array(input.utf8)))
    }

    /// The claims of a token this server has signed.
    func claims(of token: String) -> JSONValue? {
        guard let jws = CompactJWS(token), jws.header["alg"]?.string == "HS256",
            HMAC<SHA256>.isValidAuthenticationCode(
                jws.signature, authenticating: jws.signingInput, using: key)
        else { return nil }
        return jws.payload
    }

    private func code(for input: [UInt8]) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: input, using: key)
    }
}
