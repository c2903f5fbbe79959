package import Cryptography

/// The secret of PKCE, method S256 (RFC 7636 §4.1, §4.2). A server takes a challenge once only, so every
/// request has its own (protocol:R35).
package struct CodeVerifier: Sendable, CustomStringConvertible, CustomReflectable {
    package let value: String

    /// A fresh one of 256 random bits, 43 characters.
    package init() throws(CryptographyError) {
        self.init(value: Base64URL.encode(try RandomBytes.generate(32)))
    }

    init(value: String) {
        self.value = value
    }

    /// What the server is told before it may see the verifier.
    package var challenge: String { Base64URL.encode(SHA256.hash(value.utf8)) }

    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
