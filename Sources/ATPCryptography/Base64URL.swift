/// Base64 with the URL alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: characters(of: bytes), as: UTF8.self)
    }

    /// The encoded characters. Unlike those of a string, the caller can overwrite them.
    package static func characters(of bytes: some Sequence<UInt8>) -> [UInt8] {
        Base64Alphabet.url.characters(of: bytes)
    }

    /// Decodes the output of ``encode(_:)``; nil for padding, another alphabet or trailing bits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(characters: text.utf8) }

    /// Decodes characters that ``characters(of:)`` made; nil for others.
    package static func decode(characters: some Collection<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.decode(characters: characters)
    }
}

/// Base64 with the alphabet of RFC 4648 §4 and without padding, as the data model of atproto writes bytes.
package enum UnpaddedBase64 {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Base64Alphabet.standard.characters(of: bytes), as: UTF8.self)
    }

    /// Decodes the output of ``encode(_:)``; nil for padding, another alphabet or trailing bits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Base64Alphabet.standard.decode(characters: text.utf8)
    }
}

/// One of the two alphabets of RFC 4648. They differ in the last two characters.
private struct Base64Alphabet {
    static let url = Base64Alphabet(of62: UInt8(ascii: "-"), of63: UInt8(ascii: "_"))
    static let standard = Base64Alphabet(of62: UInt8(ascii: "+"), of63: UInt8(ascii: "/"))

    /// The characters of the last two values. Two bytes and no array: threads that decode at the same time share no reference count.
    let of62: UInt8
    let of63: UInt8

    func characters(of bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for byte in bytes[start..<start + group] { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group))
            // A group of n bytes becomes n + 1 characters, from the left.
            for _ in 0...group {
                text.append(character(UInt8(bits >> 18 & 63)))
                bits <<= 6
            }
        }
        return text
    }

    func decode(characters: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        bytes.reserveCapacity(characters.count * 3 / 4)
        for character in characters {
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

    private func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: of62
        default: of63
        }
    }

    private func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5a: character - 0x41
        case 0x61...0x7a: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case of62: 62
        case of63: 63
        default: nil
        }
    }
}
