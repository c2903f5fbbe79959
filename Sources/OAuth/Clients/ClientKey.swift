package import Cryptography
internal import FoundationEssentials
internal import JSON
internal import Networking

/// The private key a confidential client authenticates with. Never a session's ``DPoPKey``: servers refuse
/// one key in both places (protocol:R55).
package struct ClientKey: Sendable, CustomStringConvertible {
    /// The `kid` of the key in the client's metadata document.
    package let keyID: String
    private let key: P256PrivateKey

    package init(keyID: String, key: P256PrivateKey) {
        self.keyID = keyID
        self.key = key
    }

    package var description: String { "<redacted>" }

    /// The form parameters that authenticate one request (RFC 7523 §2.2), with an assertion of its own:
    /// servers refuse a `jti` that they have seen (protocol:R78, protocol:R79).
    ///
    /// - Parameter issuedAt: the server's time, which it must not be ahead of.
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

    /// Seconds; servers take no assertion that is older (protocol:R78).
    private static let lifetime: Int64 = 60
}

/// Where the private keys of confidential clients are.
package protocol ClientKeyStore: Sendable {
    /// nil where the key is not to be had here; nothing is sent then.
    func key(_ keyID: String, of client: ClientID) -> ClientKey?
}

/// The keys of a program that is a public client everywhere. Servers refuse native clients with a key
/// (protocol:R81), so there is nothing to keep as long as the redirect goes to a loopback address.
package struct NoClientKeys: ClientKeyStore {
    package init() {}

    package func key(_ keyID: String, of client: ClientID) -> ClientKey? { nil }
}
