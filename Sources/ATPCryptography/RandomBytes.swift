internal import Glibc

/// Random bytes from the operating system.
package enum RandomBytes {
    package static func generate(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // getentropy gives at most 256 bytes at a time.
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
