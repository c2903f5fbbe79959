package import Cryptography
package import FoundationEssentials
internal import Platform

/// What a change of the vault key does to the keys that open the vault.
package struct RekeyingPlan: Sendable {
    /// The keys that go on opening it.
    package var kept: [String] { header.slots.map(\.name) }
    /// The keys that would open it no more, for want of their secret.
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

/// Changing the vault key itself, which seals what is in the vault.
///
/// First the header gets the new key, and keeps the old one sealed under it. From then on whoever opens the
/// vault reads by both and writes by the new one, and whoever opened it before finds out under its next lock
/// (``VaultError/keyChanged``). Then each account, under its lock, is sealed anew. When nothing is left, the
/// old key goes. Whatever interrupts this, nothing is lost, and the rest is done by the next call.
extension CredentialVault {
    /// Whether a change of the vault key was begun that has not ended.
    package var isRekeying: Bool { retiring != nil }

    /// Prepares for another vault key. A slot wraps it only with its secret, so all that are to stay have to be
    /// given.
    ///
    /// - Parameter cost: of a passphrase from now on; a key file has none.
    /// - Throws: ``VaultError/wrongPassphrase`` or ``VaultError/wrongKeyFile(path:)`` where one opens no slot.
    package func planRekeying(
        keeping sources: [KeySource], cost: Scrypt.Parameters = .standard
    ) throws(VaultError) -> RekeyingPlan {
        let header = try Self.header(layout)
        guard header.keyID == keys.id, header.retiring == nil else { throw .keyChanged }
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(layout.header) }
        let new: VaultKeys
        do { new = try VaultKeys.random() } catch { throw .cryptography(error) }
        var rewrapped: [Int: KeySlot] = [:]
        for source in sources {
            let secret = try source.secret()
            guard let index = try Self.slot(of: header, opening: source, secret) else {
                switch source {
                case .passphrase: throw .wrongPassphrase
                case .keyFile(let path): throw .wrongKeyFile(path: path)
                }
            }
            do {
                rewrapped[index] = try KeySlot(
                    for: source, secret, cost, of: id, new, label: header.slots[index].label)
            } catch {
                throw .cryptography(error)
            }
        }
        let slots = header.slots.indices.compactMap { rewrapped[$0] }
        let dropped = header.slots.indices.filter { rewrapped[$0] == nil }.map { header.slots[$0].name }
        let content = VaultHeader.Content(
            id: id, keyID: new.id, slots: slots, retiring: try RetiringKey(keys, under: new, of: id),
            machines: header.machines)
        return RekeyingPlan(
            before: header.bytes, header: VaultHeader(content, new), keys: new, dropped: dropped)
    }

    /// The slot that a secret opens; nil where there is none.
    static func slot(
        of header: VaultHeader, opening source: KeySource, _ secret: SecretBytes
    ) throws(VaultError) -> Int? {
        for (index, slot) in header.slots.enumerated() where slot.method.fits(source) {
            do {
                _ = try slot.unwrap(secret, vault: header.id, keyID: header.keyID)
                return index
            } catch {
                guard error == .authenticationFailed else { throw .cryptography(error) }
            }
        }
        return nil
    }

    /// Makes the new key the one of the vault.
    ///
    /// - Returns: the vault under it; this one can only read by what was sealed before.
    /// - Throws: ``VaultError/keyChanged`` where the header is not the one of the plan any more.
    package func beginRekeying(_ plan: RekeyingPlan) throws(VaultError) -> CredentialVault {
        let lock = try lockHeader()
        guard try Self.header(layout).bytes == plan.before else { throw .keyChanged }
        try write(plan.header)
        _ = consume lock
        return try CredentialVault(plan.header, layout, plan.keys)
    }

    /// Seals an account anew where it is not yet.
    ///
    /// - Parameter names: what it is found by: the lists of names are other files under another key.
    package func sealAnew(
        _ id: UUID, names: [String], under lock: borrowing AccountLock
    ) throws(VaultError) {
        try require(lock, of: id)
        if !names.isEmpty { try addNames(names, of: id) }
        try VaultFiles.removeLeftovers(in: layout.account(id))
        for kind in RecordKind.allCases { try sealAnew(kind, of: id) }
        for item in [intentItem(id), handoverItem(id)] { try sealAnew(item) }
    }

    /// A record, and its second copy as the same bytes where it is of the same generation.
    private func sealAnew(_ kind: RecordKind, of id: UUID) throws(VaultError) {
        let copy = copyItem(kind, of: id)
        try sealAnew(item(kind, of: id))
        guard let record = try opened(item(kind, of: id)), let bytes = try VaultFiles.read(copy.file),
            SealedItem.generation(of: bytes) == record.record.generation
        else { return try sealAnew(copy) }
        if bytes != record.bytes { try VaultFiles.write(record.bytes, to: copy.file) }
    }

    /// Takes the old key out of the header when nothing is sealed under it any more.
    ///
    /// - Returns: the accounts that are not sealed anew yet; the old key stays where there are some.
    package func endRekeying() throws(VaultError) -> [UUID] {
        let lock = try lockHeader()
        let header = try Self.header(layout)
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(layout.header) }
        guard let retiring else { return [] }
        try VaultFiles.verifyDirectory(layout.names)
        try removeLeftovers()
        try VaultFiles.removeLeftovers(in: layout.names)
        try VaultFiles.removeLeftovers(in: home, of: FileSystem.name(of: layout.active))
        try sealAnew(activeItem)
        var left: [UUID] = []
        for id in try Self.directories(layout) {
            for item in items(of: id) where try isSealed(item, under: retiring) {
                left.append(id)
                break
            }
        }
        guard left.isEmpty else { return left }
        // Their accounts are in lists under the new key by now.
        var lists: [String] = []
        for list in try nameLists() where try isSealed(list, under: retiring) { lists.append(list.file) }
        try VaultFiles.remove(lists, in: layout.names)
        var content = header.content
        content.retiring = nil
        try write(VaultHeader(content, keys))
        _ = consume lock
        return []
    }

    /// All that may be sealed of an account.
    private func items(of id: UUID) -> [SealedItem] {
        RecordKind.allCases.flatMap { [item($0, of: id), copyItem($0, of: id)] }
            + [intentItem(id), handoverItem(id)]
    }

    /// Seals a file under the new key, as the generation that it is.
    private func sealAnew(_ item: SealedItem) throws(VaultError) {
        guard let retiring, try isSealed(item, under: retiring), let old = try opened(item) else { return }
        let bytes = try item.seal(old.record.content, generation: old.record.generation, under: keys)
        try VaultFiles.write(bytes, to: item.file)
    }

    private func isSealed(_ item: SealedItem, under keys: VaultKeys) throws(VaultError) -> Bool {
        guard let bytes = try VaultFiles.read(item.file) else { return false }
        return SealedItem.keyID(of: bytes) == keys.id
    }
}
