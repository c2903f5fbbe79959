/// A JWS in compact serialization, parsed but not verified (RFC 7515 §7.1).
struct CompactJWS: Sendable {
    let header: JSONValue
    let payload: JSONValue
    let signature: [UInt8]
    /// The bytes that were signed.
    let signingInput: [UInt8]

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let headerBytes = Base64URL.decode(parts[0]), let payloadBytes = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let header = try? JSONValue(parsing: headerBytes), header.members != nil,
            let payload = try? JSONValue(parsing: payloadBytes), payload.members != nil
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }
}
