#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Random bytes of the operating system's generator.
package enum RandomBytes {
    package static func generate(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // The system gives 256 at a time.
        for start in stride(from: 0, to: count, by: 256) {
            let filled = unsafe bytes.withUnsafeMutableBytes { buffer in
                let part = unsafe buffer[start..<min(start + 256, count)]
                let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: part)
                return unsafe getentropy(bytes.baseAddress, bytes.count)
            }
            guard filled == 0 else { throw .noRandomBytes }
        }
        return bytes
    }
}
