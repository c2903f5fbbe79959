package import ATPCryptography
internal import ATPJSON
internal import ATPNetworking
internal import FoundationEssentials

/// The private key that authenticates a confidential client. It must differ from the session's ``DPoPKey``,
/// because servers refuse one key for both uses (protocol:R55).
package struct ClientKey: Sendable, CustomStringConvertible {
    private let pair: KeyPair

    /// A new random key.
    package init() throws(CryptographyError) {
        pair = try KeyPair()
    }

    /// Reads the text of ``privateKeyText()``.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if the text is not a private P-256 key.
    package init(privateKeyText text: String) throws(CryptographyError) {
        pair = try KeyPair(privateKeyText: text)
    }

    package var publicKey: PublicJWK { pair.publicKey }

    /// The `kid` of the key in the client's metadata document: its thumbprint (RFC 7638 §3).
    package var keyID: String { publicKey.thumbprint }

    /// Checks that the private key is valid and that the public key belongs to it.
    package func verify() throws(CryptographyError) {
        try pair.verify()
    }

    /// The private key as a JWK (RFC 7517), for the vault only.
    package func privateKeyText() -> String { pair.privateKeyText() }

    package var description: String { "<redacted>" }

    /// The form parameters that authenticate one request (RFC 7523 §2.2). Each call makes a new assertion,
    /// because servers refuse a `jti` that they have seen (protocol:R78, protocol:R79).
    ///
    /// - Parameter issuedAt: a time that is not ahead of the server's clock.
    func parameters(
        authenticating client: ClientID, to issuer: Issuer, issuedAt: Date
    ) throws(CryptographyError) -> FormParameters {
        let time = Int64(issuedAt.timeIntervalSince1970.rounded(.down))
        let header: JSONValue = ["alg": "ES256", "typ": "JWT", "kid": .string(keyID)]
        let claims: JSONValue = [
            "iss": .string(client.description),
            "sub": .string(client.description),
            "aud": .string(issuer.description),
            "jti": .string(Base64URL.encode(try RandomBytes.generate(16))),
            "iat": JSONValue(time),
            "exp": JSONValue(time + Self.lifetime),
        ]
        return [
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": try JWS.compact(header: header, claims: claims) {
                message throws(CryptographyError) in
                try pair.sign(message)
            },
        ]
    }

    /// The lifetime of an assertion in seconds. Servers refuse older assertions (protocol:R78).
    private static let lifetime: Int64 = 60
}
