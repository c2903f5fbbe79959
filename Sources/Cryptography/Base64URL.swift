/// Base64 with the URL alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // Most bytes lie in a row, which is read many times faster than a sequence of unknown kind.
        bytes.withContiguousStorageIfAvailable { unsafe encoded($0) } ?? encoded(bytes)
    }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        let alphabet = Self.alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount * 4 + 2) / 3)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for anything but what ``encode(_:)`` makes: padding, another alphabet, or trailing bits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        text.utf8.withContiguousStorageIfAvailable { unsafe decoded($0) } ?? decoded(text.utf8)
    }

    private static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        bytes.reserveCapacity(text.count * 3 / 4)
        for character in text {
            guard let value = value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard count < 6, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return bytes
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5a: character - 0x41
        case 0x61...0x7a: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case 0x2d: 62
        case 0x5f: 63
        default: nil
        }
    }
}
