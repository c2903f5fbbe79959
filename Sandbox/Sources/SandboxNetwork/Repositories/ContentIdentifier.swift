/// A CIDv1 with a SHA-256 digest (atproto.com/specs/data-model, "Link and CID formats").
struct ContentIdentifier: Sendable, Hashable {
    private enum Codec: UInt8 {
        case raw = 0x55
        case dagCBOR = 0x71
    }

    /// Version, codec, hash function, length and digest, as a link has them.
    let bytes: [UInt8]

    /// The identifier of a DAG-CBOR block.
    init(ofBlock block: [UInt8]) {
        self.init(.dagCBOR, SHA256.digest(of: block))
    }

    /// The identifier of a blob with this digest.
    init(blobDigest: [UInt8]) {
        self.init(.raw, blobDigest)
    }

    /// Reads the text form; `nil` for other text, and for identifiers of other kinds.
    init?(_ text: String) {
        guard text.hasPrefix("b"), let bytes = Base32.decode(text.dropFirst()), bytes.count == 36,
            Codec(rawValue: bytes[1]) != nil, bytes[0] == 1, bytes[2] == 0x12, bytes[3] == 0x20
        else { return nil }
        self.bytes = bytes
    }

    private init(_ codec: Codec, _ digest: [UInt8]) {
        bytes = [1, codec.rawValue, 0x12, 0x20] + digest
    }

    /// The text form in base32.
    var text: String { "b" + Base32.encode(bytes) }
}

/// A DAG-CBOR block with its identifier.
struct Block: Sendable {
    let cid: ContentIdentifier
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        cid = ContentIdentifier(ofBlock: bytes)
        self.bytes = bytes
    }
}
