internal import FoundationEssentials

/// base64url without padding (RFC 4648 §5). Only the one text that encodes some bytes is decoded, so that no bit of a token
/// can be changed without a difference.
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().filter { $0 != "=" }.map { character in
            switch character {
            case "+": "-"
            case "/": "_"
            default: String(character)
            }
        }.joined()
    }

    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy(isCharacter) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: standard), encode(data) == text else { return nil }
        return Array(data)
    }

    private static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
