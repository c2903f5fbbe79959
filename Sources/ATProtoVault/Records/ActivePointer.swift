internal import ATPCryptography
internal import ATProtoSessions
package import FoundationEssentials

/// The account that commands use if they don't name an account.
package struct ActiveAccount: Sendable, Hashable {
    /// The active account; nil if no account is active.
    package let current: UUID?
    /// The account that was active before.
    package let previous: UUID?
    /// Whether the user logged out of the active account. Then a single remaining account is not used in its place.
    package let isExplicitlyNone: Bool

    package init(current: UUID?, previous: UUID?, isExplicitlyNone: Bool) {
        self.current = current
        self.previous = previous
        self.isExplicitlyNone = isExplicitlyNone
    }
}

/// The sealed file `active`: the active account and the previous one.
///
/// The content is 33 bytes: flags, then the UUIDs of the current and the previous account. Bit 0 of the flags means that
/// the current account is set, and bit 1 that the previous account is set. A UUID that is not set is zeros.
struct ActivePointer: Sendable {
    let files: SealedFileStore
    let accounts: AccountDirectories

    var file: SealedFile { accounts.layout.active(of: files.header.id) }

    /// The active account. One that was removed counts as logged out of.
    func read() throws(VaultError) -> ActiveAccount {
        guard let stored = try stored() else {
            return ActiveAccount(current: nil, previous: nil, isExplicitlyNone: false)
        }
        let current = try existing(stored.current)
        return ActiveAccount(
            current: current, previous: try existing(stored.previous), isExplicitlyNone: current == nil)
    }

    /// Makes an account active. With nil, no account is active, and the file records that the user chose this. The caller
    /// holds the header's lock.
    func set(_ id: UUID?) throws(VaultError) {
        try VaultFiles.removeLeftovers(in: accounts.layout.home, of: file.name)
        // Writing the file again repairs a damaged one.
        let old = try storedIfReadable()
        let last = old?.current == id ? old?.previous : old?.current ?? old?.previous
        // After a logout, the previous account may become active again. Then no previous account is left.
        try store(current: id, previous: last == id ? nil : last, after: old)
    }

    /// Forgets an account that was removed. The caller holds the header's lock.
    func forget(_ id: UUID) throws(VaultError) {
        guard let old = try storedIfReadable(), old.current == id || old.previous == id else { return }
        try store(
            current: old.current == id ? nil : old.current,
            previous: old.previous == id ? nil : old.previous, after: old)
    }

    private struct Stored {
        let current: UUID?
        let previous: UUID?
        let generation: UInt64
    }

    private func stored() throws(VaultError) -> Stored? {
        guard let record = try files.read(file)?.record else { return nil }
        let content = record.content.bytes
        guard content.count == 33 else { throw file.damaged("has the wrong length") }
        return Stored(
            current: content[0] & 1 != 0 ? UUID(bytes: content[1..<17]) : nil,
            previous: content[0] & 2 != 0 ? UUID(bytes: content[17..<33]) : nil,
            generation: record.generation)
    }

    /// The stored content; nil if the file is missing or damaged.
    private func storedIfReadable() throws(VaultError) -> Stored? {
        do { return try stored() } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    private func store(current: UUID?, previous: UUID?, after old: Stored?) throws(VaultError) {
        let none = [UInt8](repeating: 0, count: 16)
        let flags: UInt8 = (current == nil ? 0 : 1) | (previous == nil ? 0 : 2)
        let content = SecretBytes([flags] + (current?.bytes ?? none) + (previous?.bytes ?? none))
        try files.write(content, generation: (old?.generation ?? 0) &+ 1, to: file)
    }

    private func existing(_ id: UUID?) throws(VaultError) -> UUID? {
        guard let id, try accounts.exists(id) else { return nil }
        return id
    }
}
