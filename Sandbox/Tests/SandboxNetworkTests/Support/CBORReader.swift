@testable import SandboxNetwork

/// Reads DAG-CBOR, written apart from the sandbox's writer. It accepts numbers that are too long.
struct CBORReader {
    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    /// Reads one value, which must be all of the bytes.
    static func value(of bytes: [UInt8]) throws -> CBORValue {
        var reader = CBORReader(rest: bytes[...])
        let value = try reader.value()
        guard reader.rest.isEmpty else { throw Malformed() }
        return value
    }

    private mutating func value() throws -> CBORValue {
        guard let first = rest.popFirst() else { throw Malformed() }
        switch (first >> 5, first & 31) {
        case (7, 20): return .bool(false)
        case (7, 21): return .bool(true)
        case (7, 22): return .null
        case (0, let size): return .integer(Int64(try number(size)))
        case (1, let size): return .integer(-1 - Int64(try number(size)))
        case (2, let size): return .bytes(try take(number(size)))
        case (3, let size): return .text(String(decoding: try take(number(size)), as: UTF8.self))
        case (4, let size): return .array(try (0..<number(size)).map { _ in try value() })
        case (5, let size):
            return .map(
                try (0..<number(size)).map { _ in
                    guard case .text(let name) = try value() else { throw Malformed() }
                    return (name, try value())
                })
        case (6, let size):
            guard try number(size) == 42, case .bytes(let bytes) = try value(), bytes.first == 0 else {
                throw Malformed()
            }
            return .link(try ContentIdentifier(reading: bytes.dropFirst()))
        default: throw Malformed()
        }
    }

    private mutating func number(_ size: UInt8) throws -> Int {
        if size < 24 { return Int(size) }
        guard size < 28 else { throw Malformed() }
        return try take(1 << Int(size - 24)).reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard rest.count >= count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension ContentIdentifier {
    init(reading bytes: some Collection<UInt8>) throws {
        guard let cid = ContentIdentifier("b" + Base32.encode(bytes)) else { throw CBORReader.Malformed() }
        self = cid
    }
}

extension CBORValue {
    subscript(name: String) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var link: ContentIdentifier? { if case .link(let cid) = self { cid } else { nil } }
    var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
    var items: [CBORValue]? { if case .array(let items) = self { items } else { nil } }
}
