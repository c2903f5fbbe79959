/// CAR files of version 1 (ipld.io/specs/transport/car/carv1).
enum CARFile {
    /// Writes blocks under a root. A block that comes twice is written once.
    static func bytes(root: ContentIdentifier, blocks: [Block]) -> [UInt8] {
        let header = CBORValue.map([("roots", .array([.link(root)])), ("version", .integer(1))]).encoded
        var bytes = varint(header.count) + header
        var written: Set<ContentIdentifier> = []
        for block in blocks where written.insert(block.cid).inserted {
            bytes += varint(block.cid.bytes.count + block.bytes.count) + block.cid.bytes + block.bytes
        }
        return bytes
    }

    /// An unsigned LEB128 number.
    private static func varint(_ number: Int) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7f | 0x80)] + varint(number >> 7)
    }
}
