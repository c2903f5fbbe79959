internal import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
internal import FoundationEssentials

/// A machine that used the vault: an entry of `machines` in `vault.json`.
///
/// The mark is HMAC-SHA-256 of the vault's id under the machine's id, in Base64URL. So marks in different vaults don't
/// show that a machine is the same.
struct MachineMark: Sendable, Hashable {
    private let code: [UInt8]

    init(_ machine: MachineID, in vault: UUID) {
        // machine-id(5) says not to show the id, but to use it as the key of a hash.
        let message = Array("bskyauth vault 1 machine".utf8) + vault.bytes
        code = HMACSHA256.authenticate(key: SecretBytes(machine.bytes), message: message)
    }

    /// Reads a mark; nil if the JSON is not one.
    init?(_ json: JSONValue) {
        guard let code = json.string.flatMap({ Base64URL.decode($0) }), code.count == 32 else { return nil }
        self.code = code
    }

    var json: JSONValue { .string(Base64URL.encode(code)) }
}
