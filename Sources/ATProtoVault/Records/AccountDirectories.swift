internal import FoundationEssentials

/// The directories of the accounts: `accounts/UUID`. Nothing here needs a key.
struct AccountDirectories: Sendable {
    let layout: VaultLayout

    /// The accounts, sorted.
    func accounts() throws(VaultError) -> [UUID] {
        var accounts: [UUID] = []
        for id in try all() where try hasRecord(id) { accounts.append(id) }
        return accounts
    }

    /// The accounts, and the directories of accounts that lost their records, sorted.
    func all() throws(VaultError) -> [UUID] {
        try VaultFiles.names(in: layout.accounts).compactMap(UUID.init(text:)).sorted()
    }

    func hasRecord(_ id: UUID) throws(VaultError) -> Bool {
        for kind in RecordKind.allCases where try VaultFiles.exists(layout.record(kind, of: id).path) {
            return true
        }
        return false
    }

    func exists(_ id: UUID) throws(VaultError) -> Bool { try VaultFiles.exists(layout.account(id)) }

    func require(_ id: UUID) throws(VaultError) {
        guard try exists(id) else { throw .noSuchAccount(id) }
    }
}
