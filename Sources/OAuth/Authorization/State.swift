package import Cryptography

/// The unguessable value that ties a redirect to the request it answers (RFC 6749 §10.12, protocol:R36).
package struct State: Sendable, CustomStringConvertible, CustomReflectable {
    package let value: String

    /// A fresh one of 256 random bits.
    package init() throws(CryptographyError) {
        self.init(value: Base64URL.encode(try RandomBytes.generate(32)))
    }

    init(value: String) {
        self.value = value
    }

    /// Compares in a time that does not tell how much was right.
    package func matches(_ other: String) -> Bool {
        ConstantTime.equals(Array(value.utf8), Array(other.utf8))
    }

    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
