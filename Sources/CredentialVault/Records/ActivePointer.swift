internal import Cryptography
package import FoundationEssentials

extension CredentialVault {
    /// The active account. One that is gone counts as logged out of: none, explicitly.
    package func active() throws(VaultError) -> ActiveAccount {
        guard let stored = try storedActive() else {
            return ActiveAccount(current: nil, previous: nil, isExplicitlyNone: false)
        }
        let current = try present(stored.current)
        return ActiveAccount(
            current: current, previous: try present(stored.previous), isExplicitlyNone: current == nil)
    }

    /// Makes an account the active one; nil makes none active, which is remembered.
    package func setActive(_ id: UUID?) throws(VaultError) {
        if let id { try requireAccount(id) }
        let lock = try lockHeader()
        try VaultFiles.removeLeftovers(in: home, of: "active")
        var old: StoredActive?
        do { old = try storedActive() } catch {
            // Choosing anew is how a damaged choice is repaired.
            guard case .damaged = error else { throw error }
        }
        let last = old?.current == id ? old?.previous : old?.current ?? old?.previous
        // After a logout the previous one may become active again, and comes before nobody then.
        try store(current: id, previous: last == id ? nil : last, after: old)
        _ = consume lock
    }

    /// Forgets an account that was removed. Only under the header's lock.
    func deactivate(_ id: UUID) throws(VaultError) {
        let old: StoredActive?
        do { old = try storedActive() } catch {
            // A damaged choice names nobody.
            guard case .damaged = error else { throw error }
            return
        }
        guard let old, old.current == id || old.previous == id else { return }
        try store(
            current: old.current == id ? nil : old.current,
            previous: old.previous == id ? nil : old.previous, after: old)
    }

    private struct StoredActive {
        let current: UUID?
        let previous: UUID?
        let generation: UInt64
    }

    var activeItem: SealedItem {
        SealedItem(kind: .active, owner: id, file: layout.active)
    }

    private func storedActive() throws(VaultError) -> StoredActive? {
        guard let record = try opened(activeItem)?.record else { return nil }
        let content = record.content.bytes
        guard content.count == 33 else { throw activeItem.damaged("has another length") }
        return StoredActive(
            current: content[0] & 1 != 0 ? UUID(bytes: content[1..<17]) : nil,
            previous: content[0] & 2 != 0 ? UUID(bytes: content[17..<33]) : nil,
            generation: record.generation)
    }

    private func store(
        current: UUID?, previous: UUID?, after old: StoredActive?
    ) throws(VaultError) {
        let none = [UInt8](repeating: 0, count: 16)
        let flags: UInt8 = (current == nil ? 0 : 1) | (previous == nil ? 0 : 2)
        let content = SecretBytes([flags] + (current?.bytes ?? none) + (previous?.bytes ?? none))
        let generation = (old?.generation ?? 0) &+ 1
        try VaultFiles.write(
            try activeItem.seal(content, generation: generation, under: keys), to: layout.active)
    }

    private func present(_ id: UUID?) throws(VaultError) -> UUID? {
        guard let id, try VaultFiles.exists(layout.account(id)) else { return nil }
        return id
    }
}
