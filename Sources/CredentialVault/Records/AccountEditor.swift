package import Cryptography
package import FoundationEssentials
internal import Platform

extension CredentialVault {
    /// The accounts, sorted.
    package func accounts() throws(VaultError) -> [UUID] {
        try Self.accounts(layout)
    }

    /// The accounts and what is left of some (``hasAccount(_:)`` tells which), sorted.
    package func accountsAndRemains() throws(VaultError) -> [UUID] {
        try Self.directories(layout)
    }

    /// The accounts that a directory has, sorted; takes no key.
    static func accounts(_ layout: VaultLayout) throws(VaultError) -> [UUID] {
        var accounts: [UUID] = []
        for id in try directories(layout) where try hasRecord(id, layout) { accounts.append(id) }
        return accounts
    }

    /// Whether there is an account of this UUID; the work is the same for any number of accounts.
    package func hasAccount(_ id: UUID) throws(VaultError) -> Bool { try Self.hasRecord(id, layout) }

    private static func hasRecord(_ id: UUID, _ layout: VaultLayout) throws(VaultError) -> Bool {
        for kind in RecordKind.allCases where try VaultFiles.exists(layout.record(kind, of: id)) {
            return true
        }
        return false
    }

    /// The accounts and what may be left of some, sorted.
    static func directories(_ layout: VaultLayout) throws(VaultError) -> [UUID] {
        try VaultFiles.names(in: layout.accounts).compactMap(VaultLayout.id).sorted()
    }

    /// Adds an account, which is there completely or not at all, whenever this is interrupted.
    ///
    /// - Parameters:
    ///   - earlier: the generation that it had where it comes from; nil for a new account. What it comes from
    ///     counts as its store (``isStoreBehind(of:)``), and has it as it is.
    ///   - names: what ``find(name:)`` finds it by. One that leads to no account, which is what an interruption
    ///     can leave, is not seen.
    package func add(
        _ id: UUID, profile: SecretBytes, session: SecretBytes, after earlier: UInt64? = nil, names: [String]
    ) throws(VaultError) {
        let lock = try lockAccounts()
        try add(
            id, profile: profile, session: session, after: earlier, names: names, under: lock)
    }

    /// The same under a lock that was taken before, to see first what must not be there.
    package func add(
        _ id: UUID, profile: SecretBytes, session: SecretBytes, after earlier: UInt64?, names: [String],
        under lock: borrowing AccountsLock
    ) throws(VaultError) {
        guard lock.home == home else { throw .busy(holder: nil) }
        try VaultFiles.createDirectory(layout.accounts)
        try VaultFiles.createDirectory(layout.workshop)
        try removeLeftovers()
        let directory = layout.unfinished(id)
        try VaultFiles.createDirectory(directory)
        let generation = (earlier ?? 0) &+ 1
        for (kind, content) in [(RecordKind.profile, profile), (.session, session)] {
            let bytes = try item(kind, of: id).seal(content, generation: generation, under: keys)
            try VaultFiles.write(bytes, to: directory + "/" + kind.rawValue)
            try VaultFiles.write(bytes, to: directory + "/" + FileSystem.name(of: layout.copy(kind, of: id)))
        }
        if earlier != nil { try writeHandover(of: generation, of: id, in: directory) }
        for name in names { try update(name) { $0 + [id] } }
        try VaultFiles.rename(directory, to: layout.account(id))
    }

    /// Replaces the profile of an account, and what it is found by.
    ///
    /// - Parameters:
    ///   - names: what ``find(name:)`` finds it by.
    ///   - former: what it was found by until now. It is not found any more by those that are not among `names`.
    package func replaceProfile(
        _ content: SecretBytes, of id: UUID, names: [String], givingUp former: [String],
        under lock: borrowing AccountLock, _ accounts: borrowing AccountsLock
    ) throws(VaultError) {
        try require(lock, of: id)
        guard accounts.home == home else { throw .busy(holder: nil) }
        try VaultFiles.verifyDirectory(layout.names)
        // First: a name that the profile does not answer to is passed over, and one that is not noted is another's.
        for name in names { try update(name) { $0 + [id] } }
        try replace(.profile, content, of: id)
        let kept = Set(names.map { $0.lowercased() })
        for name in former where !kept.contains(name.lowercased()) {
            try update(name) { $0.filter { $0 != id } }
        }
    }

    /// Replaces the session of an account outside of a rotation, as a new login does.
    package func replaceSession(
        _ content: SecretBytes, of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) {
        try require(lock, of: id)
        try replace(.session, content, of: id)
    }

    /// Removes an account and what led to it.
    package func remove(
        _ id: UUID, names: [String], under lock: borrowing AccountLock
    ) throws(VaultError) {
        try require(lock, of: id)
        let header = try lockHeader()
        try Self.takeAway(id, layout)
        try removeLeftovers()
        try deactivate(id)
        for name in names { try update(name) { $0 } }
        _ = consume header
    }

    /// Removes an account without the key, for one that cannot be opened any more.
    ///
    /// - Throws: ``VaultError/busy(holder:)`` where its lock is taken.
    package static func removeUnreadable(_ id: UUID, at home: String) throws(VaultError) {
        let layout = VaultLayout(home: home)
        guard try VaultFiles.exists(layout.account(id)) else { throw .noSuchAccount(id) }
        try VaultFiles.createDirectory(layout.locks)
        let path = layout.lock(of: id)
        let taken: AdvisoryLock?
        do { taken = try AdvisoryLock.tryAcquire(path) } catch { throw VaultError(error, at: path) }
        guard let lock = taken else { throw .busy(holder: AdvisoryLock.holder(of: path)) }
        let header = try lockHeader(layout)
        // What names it and whether it is active takes the key to change; both are ignored without it.
        try takeAway(id, layout)
        try VaultFiles.removeTree(layout.removed(id))
        _ = consume header
        _ = consume lock
    }

    /// Writes the next generation of a record, then its second copy.
    private func replace(_ kind: RecordKind, _ content: SecretBytes, of id: UUID) throws(VaultError) {
        let generation = try nextGeneration(of: kind, of: id)
        let bytes = try item(kind, of: id).seal(content, generation: generation, under: keys)
        try VaultFiles.removeLeftovers(in: layout.account(id))
        try VaultFiles.write(bytes, to: layout.record(kind, of: id))
        do {
            try VaultFiles.write(bytes, to: layout.copy(kind, of: id))
        } catch {
            // The record is durable, and that is what counts.
            dropCopy(kind, of: id)
        }
    }

    /// One more than the record's; past every count there can have been where the record is damaged.
    private func nextGeneration(of kind: RecordKind, of id: UUID) throws(VaultError) -> UInt64 {
        do throws(VaultError) {
            return try read(kind, of: id).generation &+ 1
        } catch {
            guard case .damaged = error else { throw error }
            return UInt64(max(0, Date().timeIntervalSince1970))
        }
    }

    /// The step that makes an account one that is not there.
    private static func takeAway(_ id: UUID, _ layout: VaultLayout) throws(VaultError) {
        try VaultFiles.createDirectory(layout.workshop)
        if try VaultFiles.exists(layout.removed(id)) { try VaultFiles.removeTree(layout.removed(id)) }
        try VaultFiles.rename(layout.account(id), to: layout.removed(id))
    }

    /// Removes what was being added or removed when a process was killed, which takes the same time however many
    /// accounts there are. Only under the header's lock.
    func removeLeftovers() throws(VaultError) {
        try VaultFiles.verifyDirectory(layout.workshop)
        for name in try VaultFiles.names(in: layout.workshop) {
            try VaultFiles.removeTree(layout.workshop + "/" + name)
        }
    }
}
