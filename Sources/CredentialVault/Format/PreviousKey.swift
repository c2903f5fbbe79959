internal import Cryptography
internal import FoundationEssentials
internal import JSON

/// A vault key that is being given up, sealed under the one in its place: so long as not every file is sealed
/// anew, who has the new one has both, and who has the old one has no more than before.
struct RetiringKey: Sendable {
    /// What names it in the files that are sealed under it.
    let keyID: UUID
    private let wrapped: [UInt8]

    init(_ old: VaultKeys, under keys: VaultKeys, of vault: UUID) throws(VaultError) {
        keyID = old.id
        let key = keys.key(.retiring, vault.bytes)
        do {
            wrapped = try old.wrap(under: key, authenticating: Self.context(old.id, keys.id, vault))
        } catch {
            throw .cryptography(error)
        }
    }

    /// nil where it is none.
    init?(_ json: JSONValue) {
        guard let keyID = json["key"]?.string.flatMap(VaultLayout.id(named:)),
            let wrapped = json["wrapped"]?.string.flatMap({ Base64URL.decode($0) }),
            wrapped.count == VaultKeys.wrappedLength
        else { return nil }
        self.keyID = keyID
        self.wrapped = wrapped
    }

    var json: JSONValue {
        ["key": .string(VaultLayout.name(of: keyID)), "wrapped": .string(Base64URL.encode(wrapped))]
    }

    /// The key itself.
    func unwrap(_ keys: VaultKeys, of vault: UUID) throws(VaultError) -> VaultKeys {
        let key = keys.key(.retiring, vault.bytes)
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
