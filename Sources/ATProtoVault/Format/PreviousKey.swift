internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import FoundationEssentials

/// The previous vault key, sealed under the current one: `retiring` in `vault.json`.
///
/// The header has it while a change of the vault key is unfinished. It lets the current key read the files that
/// are still sealed under the previous key. The previous key gives no access to the current one.
///
/// In JSON: `key`, the id of the previous key, and `wrapped`, its nonce, ciphertext and tag in Base64URL.
struct PreviousKey: Sendable {
    /// The id in the head of every file that is sealed under this key.
    let keyID: UUID
    private let wrapped: [UInt8]

    init(_ old: VaultKeys, under keys: VaultKeys, of vault: UUID) throws(VaultError) {
        keyID = old.id
        let key = keys.key(.previousKey, vault.bytes)
        do {
            wrapped = try old.wrap(under: key, authenticating: Self.context(old.id, keys.id, vault))
        } catch {
            throw .cryptography(error)
        }
    }

    /// Reads a previous key; nil if the JSON is not one.
    init?(_ json: JSONValue) {
        guard let keyID = json["key"]?.string.flatMap(UUID.init(text:)),
            let wrapped = json["wrapped"]?.string.flatMap({ Base64URL.decode($0) }),
            wrapped.count == VaultKeys.wrappedLength
        else { return nil }
        self.keyID = keyID
        self.wrapped = wrapped
    }

    var json: JSONValue {
        ["key": .string(keyID.text), "wrapped": .string(Base64URL.encode(wrapped))]
    }

    func unwrap(_ keys: VaultKeys, of vault: UUID) throws(VaultError) -> VaultKeys {
        let key = keys.key(.previousKey, vault.bytes)
        do {
            return try VaultKeys.unwrap(
                wrapped, id: keyID, under: key, authenticating: Self.context(keyID, keys.id, vault))
        } catch {
            throw .cryptography(error)
        }
    }

    private static func context(_ old: UUID, _ new: UUID, _ vault: UUID) -> [UInt8] {
        Array("bskyauth vault 1 retiring".utf8) + vault.bytes + new.bytes + old.bytes
    }
}
