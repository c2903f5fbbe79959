package import ATPCryptography

/// The PKCE code verifier for method S256 (RFC 7636 §4.1, §4.2). Every request needs a new one, because servers
/// accept a challenge only once (protocol:R35).
package struct CodeVerifier: Sendable, CustomStringConvertible, CustomReflectable {
    package let value: String

    /// A new verifier of 256 random bits, 43 characters.
    package init() throws(CryptographyError) {
        self.init(value: Base64URL.encode(try RandomBytes.generate(32)))
    }

    package init(value: String) {
        self.value = value
    }

    /// The challenge, which the server receives before the verifier.
    package var challenge: String { Base64URL.encode(SHA256.hash(value.utf8)) }

    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
