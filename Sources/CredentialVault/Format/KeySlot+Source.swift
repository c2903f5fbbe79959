internal import Cryptography
internal import FoundationEssentials

extension KeySlot {
    /// Wraps the key of a vault, or of a bundle, for a new way of opening it.
    ///
    /// - Parameters:
    ///   - secret: what the source says or holds.
    ///   - label: what its owner calls it; nil for a name of its kind.
    init(
        for source: KeySource, _ secret: SecretBytes, _ cost: Scrypt.Parameters, of owner: UUID,
        _ keys: VaultKeys, label: String? = nil
    ) throws(CryptographyError) {
        let method = try Method(for: source, secret, cost)
        try self.init(method, label: label, secret: secret, vault: owner, keys)
    }
}

extension KeySlot.Method {
    /// The way to a new slot's key, with a salt of its own where it takes one.
    init(
        for source: KeySource, _ secret: SecretBytes, _ cost: Scrypt.Parameters
    ) throws(CryptographyError) {
        // Both a mistake of the caller: an empty passphrase protects nothing.
        guard secret.count > 0, cost.isAcceptable else { throw .invalidParameter("key") }
        switch source {
        case .passphrase: self = .passphrase(cost, salt: try KeySlot.salt())
        case .keyFile: self = .keyFile
        }
    }

    /// Whether it is this kind of key that opens the slot.
    func fits(_ key: KeySource) -> Bool {
        kind == key.kind
    }
}
