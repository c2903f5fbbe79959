/// Random bytes from the operating system.
package enum RandomBytes {
    package static func generate(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let isFilled = unsafe bytes.withUnsafeMutableBytes { unsafe Memory.fillRandomly($0) }
        guard isFilled else { throw .noRandomBytes }
        return bytes
    }
}
