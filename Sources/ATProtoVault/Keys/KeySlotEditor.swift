internal import ATPCryptography
internal import FoundationEssentials

/// Adds, removes and changes key slots. Each slot wraps the same vault key.
struct KeySlotEditor {
    let header: UnlockedHeader

    /// Adds a slot. A key file that does not exist is created.
    ///
    /// - Returns: the name of the slot.
    ///
    /// - Parameter shared: the shared vault that a key file is added to; nil to add it here only.
    func add(
        _ source: KeySource, named name: String?, cost: Scrypt.Parameters, to shared: SharedAccounts?
    ) async throws(VaultError) -> String {
        try await shared?.takeKeys()
        // Check before a key file is created, and again under the lock.
        if let name, try header.store.read().slots.contains(where: { $0.name == name }) {
            throw .keyNameTaken(name)
        }
        // Before the header is locked, because deriving a key takes a while.
        let secret = try source.newSecret()
        let slot = try slot(source, secret, cost, label: name)
        func add(to slots: inout [KeySlot]) throws(VaultError) -> String {
            try Self.requireRoom(in: slots)
            try requireNew(source, secret)
            let added = try Self.named(name, slot, beside: slots)
            slots.append(added)
            return added.name
        }
        if let shared {
            return try await shared.changeKeys { slots throws(VaultError) in try add(to: &slots) }
        }
        return try header.change { content throws(VaultError) in try add(to: &content.slots) }
    }

    /// Refuses a key file that has a slot already. With two slots, it would open the vault after one slot is removed.
    private func requireNew(_ source: KeySource, _ secret: SecretBytes) throws(VaultError) {
        guard case .keyFile(let path) = source else { return }
        let header = try header.store.read()
        guard let (index, _) = try header.unwrap(with: source, secret) else { return }
        throw .keyFileAdded(path: path, name: header.slots[index].name)
    }

    private static func named(
        _ name: String?, _ slot: KeySlot, beside slots: [KeySlot]
    ) throws(VaultError) -> KeySlot {
        guard let name else { return numbered(slot, beside: slots) }
        guard !slots.contains(where: { $0.name == name }) else { throw .keyNameTaken(name) }
        return slot
    }

    /// The slot with a number after its name, if another slot has that name.
    static func numbered(_ slot: KeySlot, beside slots: [KeySlot]) -> KeySlot {
        let taken = slots.map(\.name)
        guard taken.contains(slot.name) else { return slot }
        var number = 2
        while taken.contains("\(slot.name)-\(number)") { number += 1 }
        return slot.labelled("\(slot.name)-\(number)")
    }

    /// Removes a slot. The vault key stays the same.
    ///
    /// The last slot stays. One in a desktop keyring does not count, because a keyring can be lost unnoticed.
    ///
    /// - Parameter shared: the shared vault, if the vault is one. Its last key file stays, because other machines join with it.
    func remove(_ name: String, from shared: SharedAccounts?) async throws(VaultError) {
        func remove(from slots: inout [KeySlot]) throws(VaultError) {
            let removed = slots.remove(at: try Self.index(of: name, in: slots))
            guard slots.contains(where: { !$0.isRemembered }) else { throw .lastKey(removed.name) }
        }
        try await shared?.takeKeys()
        let slots = try header.store.read().slots
        if let shared, slots[try Self.index(of: name, in: slots)].isShared {
            return try await shared.changeKeys { slots throws(VaultError) in try remove(from: &slots) }
        }
        try header.change { content throws(VaultError) in try remove(from: &content.slots) }
    }

    /// Adds the slot of a desktop keyring, in place of an earlier one.
    func remember(_ secret: SecretBytes) throws(VaultError) {
        let slot: KeySlot
        do { slot = try .remembered(secret, of: header.id, header.keys) } catch { throw .cryptography(error) }
        try header.change { content throws(VaultError) in
            content.slots.removeAll(where: \.isRemembered)
            try Self.requireRoom(in: content.slots)
            content.slots.append(slot)
        }
    }

    private static func requireRoom(in slots: [KeySlot]) throws(VaultError) {
        guard slots.count < VaultHeader.mostSlots else {
            throw .tooManyKeys(limit: VaultHeader.mostSlots)
        }
    }

    func changePassphrase(
        of name: String, to passphrase: SecretBytes, cost: Scrypt.Parameters
    ) throws(VaultError) {
        let source = KeySource.passphrase(passphrase)
        let slot = try slot(source, passphrase, cost, label: nil)
        try header.change { content throws(VaultError) in
            let index = try Self.index(of: name, in: content.slots)
            guard content.slots[index].method.fits(source) else {
                throw .noSuchKey(name, known: content.slots.map(\.name))
            }
            content.slots[index] = slot.labelled(content.slots[index].label)
        }
    }

    private func slot(
        _ source: KeySource, _ secret: SecretBytes, _ cost: Scrypt.Parameters, label: String?
    ) throws(VaultError) -> KeySlot {
        try KeySlot(for: source, secret, cost, of: header.id, header.keys, label: label)
    }

    private static func index(of name: String, in slots: [KeySlot]) throws(VaultError) -> Int {
        guard let index = slots.firstIndex(where: { $0.name == name }) else {
            throw .noSuchKey(name, known: slots.map(\.name))
        }
        return index
    }
}
