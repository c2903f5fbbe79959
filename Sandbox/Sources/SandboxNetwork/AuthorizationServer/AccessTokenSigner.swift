import Foundation

/// Signs and verifies access tokens, JWTs of type `at+jwt` (RFC 9068; case 301).
struct AccessTokenSigner: Sendable {
    /// The key of servers that publish its public half.
    private let key = P256.PrivateKey()
    private let keyID = "k1"
    /// The secret of servers that publish no key.
    private let secret = HMACKey()

    var jwks: JSONValue {
        ["keys": [JSONWebKey(key.publicKey).published(keyID: keyID)]]
    }

    func token(for session: Session, issuer: String, audience: String, issued: Int, format: TokenRules.Access)
        -> String
    {
        if format == .opaque { return session.accessTokenID }
        if format == .jwtWithBareKey {
            let header: JSONValue = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
            return signed(
                header,
                [
                    "aud": .string(audience),
                    "client_id": .string(session.clientID),
                    "cnf": .string(session.jkt),
                    "exp": JSONValue(Int(session.accessTokenExpires.timeIntervalSince1970)),
                    "iat": JSONValue(issued),
                    "jti": .string(session.accessTokenID),
                    "scope": .string(session.scope.text),
                    "sub": .string(session.account.did),
                ]
            ) { key.signature(for: $0) }
        }
        let payload: JSONValue = [
            "jti": .string(session.accessTokenID),
            "sub": .string(session.account.did),
            "iat": JSONValue(issued),
            "exp": JSONValue(Int(session.accessTokenExpires.timeIntervalSince1970)),
            "aud": .string(audience),
            "cnf": ["jkt": .string(session.jkt)],
            "client_id": .string(session.clientID),
            "iss": .string(issuer),
        ]
        return signed(["typ": "at+jwt", "alg": "HS256"], payload) { secret.code(for: $0) }
    }

    private func signed(
        _ header: JSONValue, _ payload: JSONValue, by signature: ([UInt8]) -> [UInt8]
    ) -> String {
        let input = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(payload.text.utf8)
        return input + "." + Base64URL.encode(signature(Array(input.utf8)))
    }

    /// The claims of a token this server has signed (cases 411, 412, 419).
    func claims(of token: String) throws(ProofFailure) -> JSONValue {
        guard let jws = CompactJWS(token) else { throw .invalidToken("Malformed token") }
        let isValid =
            jws.header["alg"]?.string == "HS256"
            ? secret.isValid(jws.signature, for: jws.signingInput)
            : JSONWebKey(key.publicKey).isValid(jws.signature, for: jws.signingInput)
        guard isValid else {
            throw .invalidToken("signature verification failed")
        }
        return jws.payload
    }
}
