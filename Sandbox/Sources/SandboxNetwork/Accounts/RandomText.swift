/// Random identifiers from the system's generator.
enum RandomText {
    /// Random bytes in base64url.
    static func base64URL(bytes count: Int) -> String {
        Base64URL.encode(bytes(count))
    }

    /// Random bytes in lower-case hex.
    static func hex(bytes count: Int) -> String {
        bytes(count).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// Takes eight bytes at a time, since each read is a system call.
    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<(count + 7) / 8).map { _ in generator.next() }
        return Array(words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }.prefix(count))
    }
}
