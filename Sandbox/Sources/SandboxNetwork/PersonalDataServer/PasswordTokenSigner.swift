/// Signs and verifies the JWTs of password sessions: HS256, so that no OAuth token passes for one.
struct PasswordTokenSigner: Sendable {
    private let key = HMACKey()

    func token(type: String, claims: JSONValue) -> String {
        let header: JSONValue = ["typ": .string(type), "alg": "HS256"]
        let input = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(claims.text.utf8)
        return input + "." + Base64URL.encode(key.code(for: Array(input.utf8)))
    }

    /// The claims of a token this server has signed.
    func claims(of token: String) -> JSONValue? {
        guard let jws = CompactJWS(token), jws.header["alg"]?.string == "HS256",
            key.isValid(jws.signature, for: jws.signingInput)
        else { return nil }
        return jws.payload
    }
}
