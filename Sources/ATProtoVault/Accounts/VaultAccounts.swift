package import ATProtoSessions
package import FoundationEssentials

/// The accounts in a vault: decodes their records, finds them, and knows in which order a change is written.
///
/// A copy shares its memory with the original.
package struct VaultAccounts: Sendable {
    package let vault: CredentialVault
    private let knownAccounts: RecordMemory<Account>
    private let knownSessions: RecordMemory<Session>
    private let tell: @Sendable (Notice) -> Void

    /// What a change of an account meets, and the user may want to hear.
    package enum Notice: Sendable {
        /// Another process uses the account, and this one waits for it.
        case waiting(name: String, atMost: Duration)
        /// The account is removed, but some of its files are left in the vault.
        case leftover(Account, VaultError)
    }

    package init(_ vault: CredentialVault, telling tell: @escaping @Sendable (Notice) -> Void = { _ in }) {
        self.vault = vault
        self.tell = tell
        knownAccounts = RecordMemory(of: .profile, in: vault) { id, record throws(VaultError) in
            try Account(record, of: id)
        }
        knownSessions = RecordMemory(of: .session, in: vault) { id, record throws(VaultError) in
            try Session(record, of: id)
        }
    }

    // MARK: One account

    /// The account with a UUID.
    package func account(_ id: UUID) throws(VaultError) -> Account {
        try knownAccounts.read(id)
    }

    /// The account with a UUID; nil if this vault does not have it.
    package func account(ifHere id: UUID) throws(VaultError) -> Account? {
        let isHere = try vault.hasAccount(id)
        return isHere ? try account(id) : nil
    }

    /// The session of an account.
    package func session(_ id: UUID) throws(VaultError) -> Session {
        try knownSessions.read(id)
    }

    /// The account, if it is in memory and its files are the same. It never waits for the disk.
    func knownAccount(_ id: UUID) -> Account? { knownAccounts.value(of: id) }

    /// The session, if it is in memory and its files are the same. It never waits for the disk.
    func knownSession(_ id: UUID) -> Session? { knownSessions.value(of: id) }

    /// Reads the account, and keeps it in memory for ``knownAccount(_:)``.
    func remember(_ id: UUID) throws(VaultError) -> Account { try knownAccounts.read(id, at: Date()) }

    /// Reads the session, and keeps it in memory for ``knownSession(_:)``.
    func rememberSession(_ id: UUID) throws(VaultError) -> Session {
        try knownSessions.read(id, at: Date())
    }

    func forget(_ id: UUID) {
        knownAccounts.forget(id)
        knownSessions.forget(id)
    }

    func notify(_ notice: Notice) { tell(notice) }

    // MARK: All accounts

    func readable(_ ids: [UUID]) throws(VaultError) -> [Account] {
        var accounts: [Account] = []
        for id in ids {
            do { accounts.append(try vault.account(id)) } catch {
                guard error.isDamage || error == .noSuchAccount(id) else { throw error }
            }
        }
        return accounts
    }

    /// The readable accounts, oldest first, and the errors of the others.
    package func all() throws(VaultError) -> (
        readable: [Account], unreadable: [(id: UUID, error: VaultError)]
    ) {
        var readable: [Account] = []
        var unreadable: [(id: UUID, error: VaultError)] = []
        for id in try vault.accounts() {
            do { readable.append(try vault.account(id)) } catch {
                guard vault.isHere(id) else { continue }
                guard error.isOfOneFile else { throw error }
                unreadable.append((id, error))
            }
        }
        return (readable.sorted { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }, unreadable)
    }

    /// The readable accounts, oldest first, even if their sessions are unreadable.
    ///
    /// - Throws: the error of the first account, if accounts exist and none is readable.
    package func readableAccounts() throws(VaultError) -> [Account] {
        let all = try all()
        if all.readable.isEmpty, let first = all.unreadable.first { throw first.error }
        return all.readable
    }

    /// One line of the list of accounts. The list includes accounts that can't be opened.
    package indirect enum Entry: Sendable {
        case account(Account, Session)
        case unreadable(UUID, VaultError)
    }

    /// Every account, oldest first.
    package func entries() async throws(VaultError) -> [Entry] { try await map { $0 } }

    /// Maps every account, oldest first. Opening and mapping run on all cores. Only the mapped values are kept, to save
    /// memory with thousands of accounts.
    package func map<Part: Sendable>(
        _ part: @escaping @Sendable (Entry) -> Part
    ) async throws(VaultError) -> [Part] {
        let ids = try vault.accountsAndRemains()
        // With thousands of accounts, all cores help. A few accounts are opened before another thread could start.
        let chunk = 256
        var parts: [OrderedPart<Part>] = []
        if ids.count <= chunk {
            parts = ids.compactMap { ordered($0, part) }
        } else {
            await withTaskGroup(of: [OrderedPart<Part>].self) { group in
                for start in stride(from: 0, to: ids.count, by: chunk) {
                    let some = ids[start..<min(start + chunk, ids.count)]
                    group.addTask(executorPreference: globalConcurrentExecutor) {
                        some.compactMap { ordered($0, part) }
                    }
                }
                for await some in group { parts += some }
            }
        }
        return parts.indices.sorted { parts[$0].order < parts[$1].order }.map { parts[$0].part }
    }

    /// Maps one account; nil if it has lost its records or is being removed.
    private func ordered<Part>(_ id: UUID, _ part: (Entry) -> Part) -> OrderedPart<Part>? {
        do throws(VaultError) {
            // The memory is for accounts that are read again.
            let account = try vault.account(id)
            let session = try vault.session(of: id)
            return OrderedPart(order: (account.addedAt, id), part: part(.account(account, session)))
        } catch {
            guard vault.isHere(id) else { return nil }
            return OrderedPart(order: (.distantFuture, id), part: part(.unreadable(id, error)))
        }
    }
}

/// The mapped value of an account, and its place in the order.
private struct OrderedPart<Part: Sendable>: Sendable {
    let order: (Date, UUID)
    let part: Part
}

extension CredentialVault {
    /// The account of a UUID, as it is on disk.
    package func account(_ id: UUID) throws(VaultError) -> Account {
        try Account(try read(.profile, of: id).content, of: id)
    }

    /// The session of an account, as it is on disk.
    package func session(of id: UUID) throws(VaultError) -> Session {
        try Session(try read(.session, of: id).content, of: id)
    }

    /// False only if the account is known to be missing.
    package func isHere(_ id: UUID) -> Bool {
        do { return try hasAccount(id) } catch { return true }
    }
}
