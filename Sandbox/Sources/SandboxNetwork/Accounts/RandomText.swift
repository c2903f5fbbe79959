/// Random identifiers from the system's generator.
enum RandomText {
    /// So many bytes in base64url.
    static func base64URL(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// So many bytes in lower-case hex.
    static func hex(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in
            let digits = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }
}
