import CGnuTLS

/// SHA-256 (FIPS 180-4), whole or in pieces.
struct SHA256: ~Copyable {
    static let size = 32
    private var handle: gnutls_hash_hd_t?

    init() {
        GnuTLS.require(gnutls_hash_init(&handle, GNUTLS_DIG_SHA256))
    }

    deinit {
        gnutls_hash_deinit(handle, nil)
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        GnuTLS.require(gnutls_hash(handle, start, bytes.count))
    }

    /// The digest of all the pieces. The next piece starts a new message.
    func digest() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.size)
        gnutls_hash_output(handle, &digest)
        return digest
    }

    static func digest(of message: some Sequence<UInt8>) -> [UInt8] {
        let message = Array(message)
        var digest = [UInt8](repeating: 0, count: size)
        GnuTLS.require(gnutls_hash_fast(GNUTLS_DIG_SHA256, message, message.count, &digest))
        return digest
    }
}

/// A secret key for HMAC with SHA-256 (RFC 2104).
struct HMACKey: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Makes a random key.
    init() {
        bytes = (0..<SHA256.size).map { _ in UInt8.random(in: .min ... .max) }
    }

    func code(for message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.size)
        GnuTLS.require(
            gnutls_hmac_fast(GNUTLS_MAC_SHA256, bytes, bytes.count, message, message.count, &code))
        return code
    }

    /// Compares in a time that does not depend on where the codes differ.
    func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        code.count == SHA256.size && gnutls_memcmp(code, self.code(for: message), SHA256.size) == 0
    }
}
