internal import ATPCryptography

/// A content identifier: the SHA-256 of a block, and whether the block is DAG-CBOR or plain bytes
/// (atproto.com/specs/data-model: "blessed" CIDs).
public struct CID: Sendable, Hashable, CustomStringConvertible {
    /// The encoding of a block. The raw values are the codes of multicodec.
    public enum Codec: UInt8, Sendable, Hashable {
        /// Bytes without a form, as of a blob.
        case raw = 0x55
        /// Strict DAG-CBOR: records, nodes of the tree, commits.
        case dagCBOR = 0x71
    }

    /// The encoding of the block.
    public let codec: Codec
    // Four numbers instead of an array: a repository has hundreds of thousands of identifiers.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// CIDv1, the codec, SHA-256, 32 bytes.
    private static let version: UInt8 = 1
    private static let sha256: [UInt8] = [0x12, 32]
    /// The length of an identifier in bytes.
    static let length = 36

    /// The identifier of a block.
    public init(of block: some Sequence<UInt8>, codec: Codec = .dagCBOR) {
        self.init(codec, digest: SHA256.hash(block)[...])
    }

    private init(_ codec: Codec, digest: ArraySlice<UInt8>) {
        func word(_ index: Int) -> UInt64 {
            digest[(digest.startIndex + 8 * index)...].prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.codec = codec
        words = (word(0), word(1), word(2), word(3))
    }

    /// Reads the 36 bytes of an identifier; nil for another version, codec or hash.
    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count == Self.length, bytes[start] == Self.version,
            let codec = Codec(rawValue: bytes[start + 1]),
            bytes[(start + 2)..<(start + 4)].elementsEqual(Self.sha256)
        else { return nil }
        self.init(codec, digest: bytes.dropFirst(4))
    }

    /// Reads the text of an identifier: `b`, then base32 in lower case (multibase). Nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.first == "b", let bytes = Base32.decode(text.dropFirst()) else { return nil }
        self.init(bytes[...])
    }

    /// The 36 bytes of the identifier.
    var bytes: [UInt8] {
        let digest = [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
        return [Self.version, codec.rawValue] + Self.sha256 + digest
    }

    /// The identifier as text, as in JSON.
    public var description: String { "b" + Base32.encode(bytes) }

    /// Whether both identify the same block.
    public static func == (left: CID, right: CID) -> Bool {
        left.codec == right.codec && left.words == right.words
    }

    /// An order of identifiers, for searching.
    static func < (left: CID, right: CID) -> Bool {
        left.words == right.words ? left.codec.rawValue < right.codec.rawValue : left.words < right.words
    }

    /// Hashes a part of the SHA-256, which is enough.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// Base32 of RFC 4648 in lower case, without padding.
private enum Base32 {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            (buffer, bits) = (buffer << 8 | UInt32(byte), bits + 8)
            while bits >= 5 {
                bits -= 5
                text.append(digits[Int(buffer >> UInt32(bits)) & 31])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(digits[Int(buffer << UInt32(5 - bits)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for other characters, and for bits at the end that are not zero.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for character in text.utf8 {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            (buffer, bits) = (buffer << 5 | UInt32(digit), bits + 5)
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            buffer &= (1 << UInt32(bits)) - 1
        }
        return bits < 5 && buffer == 0 ? bytes : nil
    }
}
