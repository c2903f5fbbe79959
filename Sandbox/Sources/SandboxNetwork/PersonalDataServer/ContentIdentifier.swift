/// CIDv1 strings over SHA-256, in base32.
///
/// Records are hashed as JSON text, not as DAG-CBOR. The CIDs have the right form but not the real values.
enum ContentIdentifier {
    static func record(_ value: JSONValue) -> String {
        text(codec: 0x71, digest: SHA256.digest(of: value.text.utf8))
    }

    static func blob(_ digest: [UInt8]) -> String {
        text(codec: 0x55, digest: digest)
    }

    private static func text(codec: UInt8, digest: [UInt8]) -> String {
        "b" + Base32.encode([0x01, codec, 0x12, 0x20] + digest)
    }
}
