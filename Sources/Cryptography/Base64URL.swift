/// Base64 with the URL alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // Most bytes lie in a row already.
        unsafe bytes.withContiguousStorageIfAvailable { unsafe encoded($0) }
            ?? Array(bytes).withUnsafeBufferPointer { unsafe encoded($0) }
    }

    private static func encoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            let symbols = unsafe alphabet.utf8Start
            var end = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let rest = min(3, bytes.count - start)
                var bits = unsafe UInt32(bytes[start]) << 16
                if rest > 1 { bits |= unsafe UInt32(bytes[start + 1]) << 8 }
                if rest > 2 { bits |= unsafe UInt32(bytes[start + 2]) }
                // One more than there are bytes, from the left.
                for _ in 0...rest {
                    unsafe text[end] = unsafe symbols[Int(bits >> 18 & 63)]
                    bits <<= 6
                    end += 1
                }
            }
            return end
        }
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

    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

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
