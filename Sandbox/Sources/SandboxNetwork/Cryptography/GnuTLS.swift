import CGnuTLS

/// Helpers for calls of GnuTLS.
///
/// The client uses OpenSSL. The sandbox uses another library, so that a mistake in one is not repeated by the other.
enum GnuTLS {
    /// Ends the process when a call fails that can only fail on a machine where the sandbox can't work at all.
    static func require(_ code: Int32) {
        precondition(code >= 0, String(cString: gnutls_strerror(code)))
    }

    /// Lends byte strings to a call, as neighbors in memory: the first is at the pointer, the second after it.
    static func withDatums(_ parts: [UInt8]..., call: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
        var bytes = parts.flatMap(\.self)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var start = 0
            let datums = parts.map { part in
                defer { start += part.count }
                return gnutls_datum_t(
                    data: buffer.baseAddress.map { $0 + start }, size: UInt32(part.count))
            }
            return datums.withUnsafeBufferPointer { $0.baseAddress.map(call) ?? GNUTLS_E_INVALID_REQUEST }
        }
    }

    /// Copies the bytes that a call allocated, and frees them.
    static func take(_ datum: gnutls_datum_t) -> [UInt8] {
        defer { sandbox_free(datum) }
        return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }
}
