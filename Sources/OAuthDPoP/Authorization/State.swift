package import ATPCryptography

/// The random value that ties a redirect to its request (RFC 6749 §10.12, protocol:R36).
package struct State: Sendable, CustomStringConvertible, CustomReflectable {
    package let value: String

    /// A new value of 256 random bits.
    package init() throws(CryptographyError) {
        self.init(value: Base64URL.encode(try RandomBytes.generate(32)))
    }

    /// A new value for a login whose redirect a page of the user's client hands on: `PORT.RANDOM`, with the port of the
    /// listener on this machine. The page needs the port; it is no secret.
    package init(port: Int) throws(CryptographyError) {
        self.init(value: "\(port).\(try State().value)")
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
