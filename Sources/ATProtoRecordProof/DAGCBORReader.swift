#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why bytes are not strict DAG-CBOR (atproto.com/specs/data-model, ipld.io/specs/codecs/dag-cbor).
public enum InvalidDAGCBOR: Error, Sendable, Hashable {
    /// The bytes end within a value.
    case cutShort
    /// Bytes follow the value.
    case trailingBytes
    /// A number or a length has more bytes than it needs, or a length is indefinite.
    case notShortest
    /// A number does not fit in 64 bits with a sign.
    case numberRange
    /// A value of a kind that the data model does not have, such as a float or `undefined`.
    case kind(UInt8)
    /// A tag other than 42, or a link that is not an identifier of this protocol.
    case link
    /// A text is not UTF-8.
    case text
    /// The names of a map are not texts, or are not in the one order, or one comes twice.
    case names
    /// Values are nested more deeply than 64 levels.
    case depth
    /// There are more values than the reader allows.
    case count
}

/// Reads strict DAG-CBOR. Every value has one form only, so bytes that were read are written again as the same bytes.
struct DAGCBORReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// So many values may still be kept. A value takes more memory than its bytes.
    private var budget = 250_000

    /// The deepest nesting of values.
    static let deepest = 64

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Reads one value, which is all of the bytes.
    static func value(of bytes: some Collection<UInt8>) throws(InvalidDAGCBOR) -> DataValue {
        var reader = DAGCBORReader(Array(bytes)[...])
        let value = try reader.value(depth: 0)
        guard reader.position == reader.bytes.endIndex else { throw .trailingBytes }
        return value
    }

    /// Checks that the bytes are one value, without keeping it.
    static func validate(_ bytes: ArraySlice<UInt8>) throws(InvalidDAGCBOR) {
        var reader = DAGCBORReader(bytes)
        try reader.skip(depth: 0)
        guard reader.position == reader.bytes.endIndex else { throw .trailingBytes }
    }

    /// Whether the bytes are one value, and a map. The types of its parts are not looked at.
    static func isRecord(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first >> 5 == Kind.map.rawValue else { return false }
        do { try validate(bytes) } catch { return false }
        return true
    }

    // MARK: Heads

    /// The major types of CBOR (RFC 8949 §3.1).
    private enum Kind: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple
    }

    private mutating func byte() throws(InvalidDAGCBOR) -> UInt8 {
        guard position < bytes.endIndex else { throw .cutShort }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads the first byte of a value, and the number that belongs to it.
    private mutating func head() throws(InvalidDAGCBOR) -> (kind: Kind, number: UInt64, first: UInt8) {
        let first = try byte()
        // Three bits have eight values, and each of them is a kind.
        let kind = Kind(rawValue: first >> 5) ?? .simple
        let detail = first & 31
        if kind == .simple {
            // false, true and null have no number.
            guard (20...22).contains(detail) else { throw .kind(first) }
            return (kind, UInt64(detail), first)
        }
        switch detail {
        case ..<24: return (kind, UInt64(detail), first)
        case 24...27:
            let count = 1 << Int(detail - 24)
            var number: UInt64 = 0
            for _ in 0..<count { number = number << 8 | UInt64(try byte()) }
            let least: UInt64 = count == 1 ? 24 : 1 << UInt64(4 * count)
            guard number >= least else { throw .notShortest }
            return (kind, number, first)
        default: throw .notShortest
        }
    }

    private mutating func take(_ count: UInt64) throws(InvalidDAGCBOR) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.endIndex - position) else { throw .cutShort }
        defer { position += Int(count) }
        return bytes[position..<(position + Int(count))]
    }

    // MARK: Parts

    private static func integer(_ kind: Kind, _ number: UInt64) throws(InvalidDAGCBOR) -> Int64 {
        guard let value = Int64(exactly: number) else { throw .numberRange }
        return kind == .unsigned ? value : -1 - value
    }

    private static func requireUTF8(_ text: ArraySlice<UInt8>) throws(InvalidDAGCBOR) {
        // Most texts are ASCII, and need no copy.
        if text.allSatisfy({ $0 < 0x80 }) { return }
        guard String(validating: text, as: UTF8.self) != nil else { throw .text }
    }

    private mutating func link(_ tag: UInt64) throws(InvalidDAGCBOR) -> CID {
        guard tag == 42 else { throw .link }
        let (kind, count, _) = try head()
        guard kind == .bytes, count == UInt64(CID.length + 1) else { throw .link }
        let content = try take(count)
        guard content.first == 0, let link = CID(content.dropFirst()) else { throw .link }
        return link
    }

    /// Reads the name of a member, which comes after the previous one.
    private mutating func name(
        after previous: ArraySlice<UInt8>?
    ) throws(InvalidDAGCBOR) -> ArraySlice<UInt8> {
        let (kind, count, _) = try head()
        guard kind == .text else { throw .names }
        let name = try take(count)
        if let previous {
            let isLater =
                previous.count == name.count
                ? previous.lexicographicallyPrecedes(name) : previous.count < name.count
            guard isLater else { throw .names }
        }
        try Self.requireUTF8(name)
        return name
    }

    /// A container can't have more members than bytes are left.
    private func requireRoom(for count: UInt64, depth: Int) throws(InvalidDAGCBOR) {
        guard depth < Self.deepest else { throw .depth }
        guard count <= UInt64(bytes.endIndex - position) else { throw .cutShort }
    }

    // MARK: Values

    private mutating func skip(depth: Int) throws(InvalidDAGCBOR) {
        let (kind, number, _) = try head()
        switch kind {
        case .unsigned, .negative: _ = try Self.integer(kind, number)
        case .bytes: _ = try take(number)
        case .text: try Self.requireUTF8(take(number))
        case .array:
            try requireRoom(for: number, depth: depth)
            for _ in 0..<number { try skip(depth: depth + 1) }
        case .map:
            try requireRoom(for: number, depth: depth)
            var previous: ArraySlice<UInt8>?
            for _ in 0..<number {
                previous = try name(after: previous)
                try skip(depth: depth + 1)
            }
        case .tag: _ = try link(number)
        case .simple: break
        }
    }

    private mutating func value(depth: Int) throws(InvalidDAGCBOR) -> DataValue {
        budget -= 1
        guard budget >= 0 else { throw .count }
        let (kind, number, _) = try head()
        switch kind {
        case .unsigned, .negative: return .integer(try Self.integer(kind, number))
        case .bytes: return .bytes(Array(try take(number)))
        case .text:
            guard let text = String(validating: try take(number), as: UTF8.self) else { throw .text }
            return .text(text)
        case .array:
            try requireRoom(for: number, depth: depth)
            var values: [DataValue] = []
            for _ in 0..<number { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case .map:
            try requireRoom(for: number, depth: depth)
            var members: [(name: String, value: DataValue)] = []
            var previous: ArraySlice<UInt8>?
            for _ in 0..<number {
                let name = try name(after: previous)
                previous = name
                members.append((String(decoding: name, as: UTF8.self), try value(depth: depth + 1)))
            }
            return .map(members)
        case .tag: return .link(try link(number))
        case .simple: return number == 22 ? .null : .bool(number == 21)
        }
    }
}

extension InvalidDAGCBOR: CustomStringConvertible, LocalizedError {
    /// What is wrong with the bytes, in plain English.
    public var description: String {
        switch self {
        case .cutShort: "the DAG-CBOR ends within a value"
        case .trailingBytes: "bytes follow the DAG-CBOR"
        case .notShortest: "a number or a length in the DAG-CBOR is not in its shortest form"
        case .numberRange: "a number in the DAG-CBOR does not fit in 64 bits"
        case .kind: "the DAG-CBOR has a value of a kind that AT Protocol does not use"
        case .link: "a tag or a link in the DAG-CBOR is not valid"
        case .text: "a text in the DAG-CBOR is not UTF-8"
        case .names: "the names of a map in the DAG-CBOR are not in their order, or one comes twice"
        case .depth: "the DAG-CBOR has more than 64 levels"
        case .count: "the DAG-CBOR has too many values"
        }
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
