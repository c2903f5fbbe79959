// SHA-256, HMAC and HKDF return no errors. With OpenSSL, `OpenSSL.start` runs before their first use and throws if one of
// them is missing. After that they fail only if memory runs out. Then the process ends, as after every other failed Swift
// allocation. To go on with a digest of zeros would make all keys and all tokens equal.

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    static let length = 32

    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] { digest(Array(bytes)) }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    package static func authenticate(key: SecretBytes, message: [UInt8]) -> [UInt8] { code(key, message) }
}
