package import Cryptography
internal import FoundationEssentials
internal import JSON
internal import Networking

/// The private key that authenticates a confidential client. It must differ from the session's ``DPoPKey``,
/// because servers refuse one key for both uses (protocol:R55).
package struct ClientKey: Sendable, CustomStringConvertible {
    /// The `kid` of the key in the client's metadata document.
    package let keyID: String
    private let key: P256PrivateKey

    package init(keyID: String, key: P256PrivateKey) {
        self.keyID = keyID
        self.key = key
    }

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
                try key.sign(message)
            },
        ]
    }

    /// The lifetime of an assertion in seconds. Servers refuse older assertions (protocol:R78).
    private static let lifetime: Int64 = 60
}

/// Holds the private keys of confidential clients.
package protocol ClientKeyStore: Sendable {
    /// Nil if the key is not available. Then nothing is sent.
    func key(_ keyID: String, of client: ClientID) -> ClientKey?
}

/// The empty key store of a public client. Servers refuse a key from a native client (protocol:R81), so a program
/// that logs in by loopback redirect needs no keys.
package struct NoClientKeys: ClientKeyStore {
    package init() {}

    package func key(_ keyID: String, of client: ClientID) -> ClientKey? { nil }
}
