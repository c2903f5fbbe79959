/// A value of the data model and its encoding in DAG-CBOR (atproto.com/specs/data-model).
enum CBORValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case link(ContentIdentifier)
    case array([CBORValue])
    /// The members in any order. The encoding sorts them.
    case map([(name: String, value: CBORValue)])

    /// The canonical encoding: the shortest numbers, and shorter names before longer ones.
    var encoded: [UInt8] {
        switch self {
        case .null: [0xf6]
        case .bool(let flag): [flag ? 0xf5 : 0xf4]
        case .integer(let number) where number < 0: Self.head(1, UInt64(bitPattern: ~number))
        case .integer(let number): Self.head(0, UInt64(number))
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        // Tag 42, then bytes of which the first is the multibase prefix for binary.
        case .link(let cid): Self.head(6, 42) + Self.head(2, UInt64(cid.bytes.count + 1)) + [0] + cid.bytes
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let members):
            Self.head(5, UInt64(members.count))
                + members.sorted { Self.precedes($0.name, $1.name) }.flatMap {
                    CBORValue.text($0.name).encoded + $0.value.encoded
                }
        }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        return left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }

    /// The major type of an item and its number (RFC 8949 §3).
    private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
        let size =
            switch number {
            case ..<24: 0
            case ...0xff: 1
            case ...0xffff: 2
            case ...0xffff_ffff: 4
            default: 8
            }
        guard size > 0 else { return [major << 5 | UInt8(number)] }
        let digits = stride(from: (size - 1) * 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> UInt64($0))
        }
        return [major << 5 | 24 + UInt8(size.trailingZeroBitCount)] + digits
    }
}

extension CBORValue: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, CBORValue)...) {
        self = .map(elements.map { (name: $0.0, value: $0.1) })
    }
}
