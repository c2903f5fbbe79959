internal import ATPJSON
internal import BskyAuthRows
internal import FoundationEssentials

/// The value of a row as etcd keeps it: eight bytes with the expiry in milliseconds since 1970, the most significant first;
/// one byte with the version of this form; the bytes of the row.
///
/// etcd compares values byte by byte, so it can tell by ``bound(_:)`` whether a row has expired.
struct RowEnvelope {
    private static let version: UInt8 = 1
    private static let never = UInt64(Int64.max)

    let value: [UInt8]
    let expiry: Date?

    init(value: [UInt8], expiry: Date?) {
        self.value = value
        self.expiry = expiry
    }

    /// Reads a value of etcd; nil if it has another form.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 8, bytes[8] == Self.version else { return nil }
        let time = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard time <= Self.never else { return nil }
        value = Array(bytes.dropFirst(9))
        expiry = time == Self.never ? nil : Date(timeIntervalSince1970: Double(time) / 1000)
    }

    var bytes: [UInt8] {
        Self.bigEndian(expiry.map(Self.milliseconds) ?? Self.never) + [Self.version] + value
    }

    /// The values of rows that have not expired at a time are greater, and those of the others are less.
    static func bound(_ time: Date) -> [UInt8] {
        // The value of a row goes on after its expiry, so it is greater also if it expires in the next millisecond.
        bigEndian(milliseconds(time) + 1)
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }

    private static func milliseconds(_ date: Date) -> UInt64 {
        UInt64(max(0, (date.timeIntervalSince1970 * 1000).rounded()))
    }
}

extension JSONValue {
    /// Bytes as the JSON form of protobuf has them (protobuf.dev/programming-guides/json).
    static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }

    /// The bytes of a text in base64. A field that is missing has none, so etcd leaves out an empty one.
    var bytes: [UInt8]? { string.flatMap { Data(base64Encoded: $0) }.map(Array.init) }

    /// A 64-bit number, which the JSON form of protobuf writes as a text.
    var decimal: Int64? { string.flatMap { Int64($0) } ?? integer }
}
