/// A value of AT Protocol's data model (atproto.com/specs/data-model).
public indirect enum DataValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A text.
    case text(String)
    /// Bytes: `$bytes` in JSON.
    case bytes([UInt8])
    /// A link to a block: `$link` in JSON.
    case link(CID)
    /// Values in an order.
    case array([DataValue])
    /// The members in the order of DAG-CBOR: shorter names first, then by their bytes.
    case map([(name: String, value: DataValue)])

    /// Whether both values have the same form in DAG-CBOR. Texts are compared by their bytes, and the order of a map does not matter.
    public static func == (left: DataValue, right: DataValue) -> Bool { left.dagCBOR == right.dagCBOR }

    /// Hashes the form in DAG-CBOR.
    public func hash(into hasher: inout Hasher) { hasher.combine(dagCBOR) }

    /// The member of a map; nil for another value, and for a name that is not there.
    public subscript(name: String) -> DataValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

extension DataValue {
    /// Reads a value of strict DAG-CBOR, which has at most 250,000 values in it.
    public init(dagCBOR bytes: some Collection<UInt8>) throws(InvalidDAGCBOR) {
        self = try DAGCBORReader.value(of: bytes)
    }

    /// The one form of the value in DAG-CBOR. The members of a map are sorted.
    public var dagCBOR: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(0xf6)
        case .bool(let value): bytes.append(value ? 0xf5 : 0xf4)
        case .integer(let value):
            Self.writeHead(value < 0 ? 1 : 0, UInt64(value < 0 ? -1 - value : value), to: &bytes)
        case .text(let text):
            Self.writeHead(3, UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        case .bytes(let content):
            Self.writeHead(2, UInt64(content.count), to: &bytes)
            bytes += content
        case .link(let link):
            Self.writeHead(6, 42, to: &bytes)
            Self.writeHead(2, UInt64(CID.length + 1), to: &bytes)
            bytes += [0] + link.bytes
        case .array(let values):
            Self.writeHead(4, UInt64(values.count), to: &bytes)
            for value in values { value.write(to: &bytes) }
        case .map(let members):
            Self.writeHead(5, UInt64(members.count), to: &bytes)
            for (name, value) in Self.sorted(members) {
                DataValue.text(name).write(to: &bytes)
                value.write(to: &bytes)
            }
        }
    }

    /// The members of a map in the order of DAG-CBOR.
    static func sorted(_ members: [(name: String, value: DataValue)]) -> [(name: String, value: DataValue)] {
        members.sorted { left, right in
            let (left, right) = (left.name.utf8, right.name.utf8)
            return left.count == right.count
                ? left.lexicographicallyPrecedes(right) : left.count < right.count
        }
    }

    private static func writeHead(_ kind: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
        let detail: UInt8
        let count: Int
        switch number {
        case ..<24: (detail, count) = (UInt8(number), 0)
        case ..<0x100: (detail, count) = (24, 1)
        case ..<0x1_0000: (detail, count) = (25, 2)
        case ..<0x1_0000_0000: (detail, count) = (26, 4)
        default: (detail, count) = (27, 8)
        }
        bytes.append(kind << 5 | detail)
        for place in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place)))
        }
    }
}
