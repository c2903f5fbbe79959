/// HKDF with SHA-256 (RFC 5869): derives any number of keys from one secret.
package struct HKDF: Sendable {
    let secret: SecretBytes
    let salt: [UInt8]

    package init(_ secret: SecretBytes, salt: [UInt8] = []) {
        self.secret = secret
        self.salt = salt
    }

    /// - Parameter count: the length of the key, 1 to 8,160 bytes. Any other length ends the process.
    package func derive(info: [UInt8], count: Int) -> SecretBytes {
        precondition((1...255 * SHA256.length).contains(count), "HKDF has no key of \(count) bytes")
        return key(info, count)
    }
}
