internal import CNettle

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let message = Array(bytes)
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe bskyauth_sha256(message, message.count, &digest)
        return digest
    }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    package static func authenticate(key: SecretBytes, message: [UInt8]) -> [UInt8] {
        unsafe message.withUnsafeBytes { unsafe Self.code(key, $0) }
    }

    /// The same for a message that is secret itself.
    static func authenticate(key: SecretBytes, message: SecretBytes) -> [UInt8] {
        unsafe message.withUnsafeBytes { unsafe Self.code(key, $0) }
    }

    private static func code(_ key: SecretBytes, _ message: UnsafeRawBufferPointer) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        unsafe key.withUnsafeBytes { key in
            unsafe bskyauth_hmac_sha256(
                key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count,
                message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count, &code)
        }
        return code
    }
}
