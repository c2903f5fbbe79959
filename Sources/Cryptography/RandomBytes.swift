internal import COpenSSL

/// Random bytes of the operating system's generator, by way of OpenSSL.
package enum RandomBytes {
    package static func generate(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_bytes(&bytes, Int32(count)) == 1 else { throw .operationFailed("random") }
        return bytes
    }
}
