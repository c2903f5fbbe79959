package import Cryptography
package import FoundationEssentials

/// What can be said of a vault without its key.
package struct VaultSummary: Sendable {
    /// One way of opening it.
    package struct Slot: Sendable, Hashable {
        /// What tells it from the others.
        package let name: String
        package let kind: KeyKind
        /// What a try costs; nil where nothing has to be derived.
        package let cost: Scrypt.Parameters?
    }

    /// Which vault it is.
    package let id: UUID
    package let home: String
    /// The version of the layout.
    package let format: Int
    package let slots: [Slot]
    /// Whether a change of the vault key was begun that has not ended.
    package let isRekeying: Bool
    /// How many accounts it has.
    package let accounts: Int

    /// The directories that are written to, be they made already or not.
    package var directories: [String] {
        let layout = VaultLayout(home: home)
        return [home, layout.accounts, layout.names, layout.locks]
    }
}

extension CredentialVault {
    /// What kinds of keys open a vault.
    package static func keyKinds(at home: String) throws(VaultError) -> Set<KeyKind> {
        Set(try header(VaultLayout(home: home)).slots.map(\.summary.kind))
    }

    /// Describes a vault without opening it. Whether its header is authentic takes the key to tell.
    package static func summary(at home: String) throws(VaultError) -> VaultSummary {
        let layout = VaultLayout(home: home)
        let header = try header(layout)
        return VaultSummary(
            id: header.id, home: home, format: VaultHeader.format, slots: header.slots.map(\.summary),
            isRekeying: header.retiring != nil,
            accounts: try accounts(layout).count)
    }
}

extension KeySlot {
    var summary: VaultSummary.Slot {
        switch method {
        case .passphrase(let cost, _): VaultSummary.Slot(name: name, kind: .passphrase, cost: cost)
        case .keyFile: VaultSummary.Slot(name: name, kind: .keyFile, cost: nil)
        }
    }
}
