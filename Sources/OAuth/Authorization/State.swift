package import Cryptography

/// The random value that ties a redirect to its request (RFC 6749 §10.12, protocol:R36).
package struct State: Sendable, CustomStringConvertible, CustomReflectable {
    package let value: String

    /// A new value of 256 random bits.
    package init() throws(CryptographyError) {
        self.init(value: Base64URL.encode(try RandomBytes.generate(32)))
    }

    init(value: String) {
        self.value = value
    }

    /// Compares in constant time, so that the time does not reveal how many characters match.
    package func matches(_ other: String) -> Bool {
        ConstantTime.equals(Array(value.utf8), Array(other.utf8))
    }

    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
