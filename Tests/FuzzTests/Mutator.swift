/// Mutates valid inputs. The same seed gives the same mutations.
struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Texts that often break parsers.
    private static let snippets: [[UInt8]] =
        [
            "\"", "\\", "\\u", "\\ud800", "\\udc00", "{", "}", "[", "]", ":", ",", "null", "-", "1e999",
            "99999999999999999999", "%", "%0", "%00", "%ff", "&", "=", "+", "#", "?", "//", "..", "did:",
            "at://",
            "https://", "[::1]", "\u{0}", "\r\n", "\u{202e}", "\u{1f600}", "e\u{301}",
        ].map { Array($0.utf8) } + [
            [0xff], [0xc0, 0x0c], [0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
        ]

    /// Makes one to eight changes to an input.
    mutating func mutate(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...8, using: &self) {
            let place = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1 where !bytes.isEmpty: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 2:
                let snippet = Self.snippets.randomElement(using: &self) ?? []
                bytes.insert(contentsOf: snippet, at: place)
            case 3 where !bytes.isEmpty:
                let end = min(bytes.count, place + Int.random(in: 1...16, using: &self))
                bytes.removeSubrange(place..<end)
            case 4 where !bytes.isEmpty:
                let end = min(bytes.count, place + Int.random(in: 1...32, using: &self))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes = Array(bytes.prefix(place))
            }
        }
        return bytes
    }
}
