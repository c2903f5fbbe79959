internal import BskyAuthRows
internal import FoundationEssentials

/// The key files that open a shared vault. The store has them, and each machine takes them over.
extension SharedAccounts {
    /// The URL of the store, without a password.
    package var url: String { vault.header.shared?.store ?? "" }

    /// Reads the store's header.
    ///
    /// - Throws: ``VaultError/sharingRefused(_:)`` if the vault is not in the store, or not any more.
    func storeHeader() async throws(VaultError)
        -> (header: VaultHeader, origin: [UInt8]?, revision: Revision)
    {
        guard let (found, revision) = try await store.header(of: url) else {
            let isBegun = vault.header.shared?.isBegun == true
            throw .sharingRefused(isBegun ? .sharing : .storeLost)
        }
        switch found.state {
        case .unshared(let sealed):
            let machine = try files.machine(sealed, as: SharedHeader.machine(of: vault.id))
            throw .sharingRefused(machine.id == store.machine.id ? .unsharing : .unshared(by: machine))
        case .shared(let header):
            guard header.id == vault.id, header.keyID == vault.header.keys.id,
                header.isAuthentic(vault.header.keys)
            else { throw VaultHeader.inauthentic("the header in \(url)") }
            return (header, found.origin, revision)
        }
    }

    /// Why the store has no record of an account: the vault was taken out of it, or it went back.
    func absence(of id: UUID) async throws(VaultError) -> VaultError {
        do {
            _ = try await storeHeader()
            try await stopRefreshes()
            return .storeWentBack(id)
        } catch {
            switch error {
            case .sharingRefused: return error
            default: throw error
            }
        }
    }

    /// Takes over the key files that were added or removed on other machines.
    func takeKeys() async throws(VaultError) { try take(try await storeHeader().header.slots) }

    private func take(_ slots: [KeySlot]) throws(VaultError) {
        guard Set(try vault.header.store.read().slots.filter(\.isShared)) != Set(slots) else { return }
        try vault.header.change { content throws(VaultError) in
            var present = slots
            for slot in content.slots where !slot.isShared {
                present.append(KeySlotEditor.numbered(slot, beside: present))
            }
            guard present.count <= VaultHeader.mostSlots else {
                throw .tooManyKeys(limit: VaultHeader.mostSlots)
            }
            content.slots = present
        }
    }

    /// Changes the key files, in the store first.
    func changeKeys<Value>(
        _ change: (inout [KeySlot]) throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        while true {
            let (header, origin, revision) = try await storeHeader()
            var slots = header.slots
            let value = try change(&slots)
            let changed = SharedHeader(vault.header, slots: slots, origin: origin)
            if try await store.write(changed, if: .unchanged(revision)) {
                try take(slots)
                return value
            }
        }
    }
}
