internal import COpenSSL

/// Random bytes of the operating system's generator, by way of OpenSSL.
package enum RandomBytes {
    package static func generate(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
