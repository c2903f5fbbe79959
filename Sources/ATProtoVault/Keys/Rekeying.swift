internal import ATPCryptography
internal import ATPPlatform
internal import FoundationEssentials

/// A prepared change of the vault key, and what it does to the key slots.
package struct RekeyingPlan: Sendable {
    /// The slots that will still open the vault.
    package var kept: [String] { header.slots.map(\.name) }
    /// The slots that will be removed, because their secret was not given.
    package let dropped: [String]

    fileprivate let before: [UInt8]
    fileprivate let header: VaultHeader
    fileprivate let keys: VaultKeys

    fileprivate init(before: [UInt8], header: VaultHeader, keys: VaultKeys, dropped: [String]) {
        self.before = before
        self.header = header
        self.keys = keys
        self.dropped = dropped
    }
}

/// Changes the vault key.
///
/// 1. The header gets the new key and keeps the previous one, sealed under the new one. From then on, a process
///    that opens the vault reads with both keys and seals with the new one. A process that opened it before gets
///    ``VaultError/keyChanged`` at its next lock.
/// 2. Each account is sealed again, under its lock.
/// 3. When no file is sealed under the previous key, that key is removed from the header.
///
/// After an interruption, the next call does the remaining steps.
struct Rekeying {
    let header: UnlockedHeader
    let accounts: AccountDirectories
    let records: RecordFiles
    let names: NameIndex
    let active: ActivePointer
    let logins: KeptLogins
    let clients: ClientFiles

    private var layout: VaultLayout { accounts.layout }
    private var files: SealedFileStore { records.files }

    /// Makes a new vault key. Each slot that stays needs its secret to wrap the new key.
    func plan(keeping sources: [KeySource], cost: Scrypt.Parameters) throws(VaultError) -> RekeyingPlan {
        let old = try header.store.read()
        guard old.keyID == header.keys.id, old.previousKey == nil else { throw .keyChanged }
        guard old.isAuthentic(header.keys) else { throw VaultHeader.inauthentic(layout.header) }
        let new = try VaultKeys.random()
        var rewrapped: [Int: KeySlot] = [:]
        for source in sources {
            let secret = try source.secret()
            guard let (index, _) = try old.unwrap(with: source, secret) else { throw source.wrongKeyError }
            rewrapped[index] = try KeySlot(
                for: source, secret, cost, of: header.id, new, label: old.slots[index].label)
        }
        let content = VaultHeader.Content(
            id: header.id, keyID: new.id, slots: old.slots.indices.compactMap { rewrapped[$0] },
            previousKey: try PreviousKey(header.keys, under: new, of: header.id), machines: old.machines)
        return RekeyingPlan(
            before: old.bytes, header: VaultHeader(content, new), keys: new,
            dropped: old.slots.indices.filter { rewrapped[$0] == nil }.map { old.slots[$0].name })
    }

    /// Writes the new key into the header.
    ///
    /// - Throws: ``VaultError/keyChanged`` if the header has changed since the plan was made.
    func begin(_ plan: RekeyingPlan) throws(VaultError) -> UnlockedHeader {
        let lock = try header.lock()
        guard try header.store.read().bytes == plan.before else { throw .keyChanged }
        try header.store.write(plan.header)
        _ = consume lock
        return try UnlockedHeader(plan.header, plan.keys, in: header.store)
    }

    /// Seals an account under the new key. The caller holds the account's lock.
    ///
    /// - Parameter names: the account's names. The index uses other files for them under the new key.
    func reseal(_ id: UUID, names: [String]) throws(VaultError) {
        if !names.isEmpty {
            let lock = try header.lock()
            try self.names.add(id, to: names)
            _ = consume lock
        }
        try VaultFiles.removeLeftovers(in: layout.account(id))
        for kind in RecordKind.allCases { try records.reseal(kind, of: id) }
        for file in [layout.intent(of: id), layout.mirrorMark(of: id), layout.answer(of: id)] {
            try files.reseal(file)
        }
    }

    /// Removes the previous key from the header if no file is sealed under it.
    ///
    /// - Returns: the accounts that are still sealed under the previous key. If the list is not empty, the key stays.
    func end() throws(VaultError) -> [UUID] {
        let lock = try header.lock()
        var content = try header.readAgain().content
        guard header.previousKeys != nil else { return [] }
        try VaultFiles.verifyDirectory(layout.names)
        try names.workshop.removeLeftovers()
        try VaultFiles.removeLeftovers(in: layout.names)
        try VaultFiles.removeLeftovers(in: layout.home, of: active.file.name)
        try files.reseal(active.file)
        try logins.reseal()
        try clients.reseal()
        let left = try accountsUnderPreviousKey()
        guard left.isEmpty else { return left }
        // The index of the new key has all accounts of these files by now.
        var old: [String] = []
        for file in try names.allFiles() where try files.isUnderPreviousKey(file) { old.append(file.path) }
        try VaultFiles.remove(old, in: layout.names)
        content.previousKey = nil
        try header.store.write(VaultHeader(content, header.keys))
        _ = consume lock
        return []
    }

    private func accountsUnderPreviousKey() throws(VaultError) -> [UUID] {
        var left: [UUID] = []
        for id in try accounts.all() {
            for file in layout.sealedFiles(of: id) where try files.isUnderPreviousKey(file) {
                left.append(id)
                break
            }
        }
        return left
    }
}
