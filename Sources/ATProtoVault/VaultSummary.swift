package import ATPCryptography
package import FoundationEssentials

/// The facts about a vault that are readable without its key. Verifying that its header is authentic needs the key.
package struct VaultSummary: Sendable {
    /// A key slot.
    package struct Slot: Sendable, Hashable {
        package let name: String
        package let kind: KeyKind
        /// The cost of a passphrase; nil for a key file.
        package let cost: Scrypt.Parameters?
        /// Whether the secret of the slot is in a desktop keyring.
        package let isRemembered: Bool
    }

    package let id: UUID
    package let home: String
    /// The version of the layout.
    package let format: Int
    package let slots: [Slot]
    /// Whether a change of the vault key is unfinished.
    package let isRekeying: Bool
    /// The number of accounts.
    package let accounts: Int
    /// The store of a shared vault, and what this machine is in it; nil for a vault of this machine alone.
    package let sharing: Sharing?

    /// Where a shared vault is.
    package struct Sharing: Sendable, Hashable {
        /// The URL of the store, without a password.
        package let store: String
        package let machine: SharedMachine
    }

    /// The key slot of a desktop keyring; nil without one.
    package var remembered: Slot? { slots.first(where: \.isRemembered) }

    /// The directories that bskyauth writes to. They may not exist yet.
    package var directories: [String] {
        let layout = VaultLayout(home: home)
        return [home, layout.accounts, layout.names, layout.locks]
    }
}

extension KeySlot {
    var summary: VaultSummary.Slot {
        let cost: Scrypt.Parameters? = if case .passphrase(let cost, _) = method { cost } else { nil }
        return VaultSummary.Slot(name: name, kind: method.kind, cost: cost, isRemembered: isRemembered)
    }
}
