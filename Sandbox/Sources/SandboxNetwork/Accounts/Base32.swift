/// Base32 in lower case without padding, the alphabet of did:plc and CIDs (RFC 4648 §6).
enum Base32 {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
        var result = ""
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                result.append(digits[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { result.append(digits[Int(buffer << UInt32(5 - bits) & 31)]) }
        return result
    }
}
