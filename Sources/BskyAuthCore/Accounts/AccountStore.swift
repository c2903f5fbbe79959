internal import ATPCryptography
package import ATPNetworking
package import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials
package import Logging
internal import OAuthDPoP
internal import Synchronization

/// The accounts in the vault: decodes their records, finds them by name and selects them.
package struct AccountStore: Sendable {
    package let vault: CredentialVault
    /// Says what a command waits for.
    let log: Logger
    /// The rules of the accounts, which other users of the vault keep too.
    var rules: VaultAccounts { VaultAccounts(vault) }
    private let lastProfile = LastRecord<Account>()
    private let lastSession = LastRecord<Session>()

    package init(vault: CredentialVault, log: Logger) {
        self.vault = vault
        self.log = log
    }

    /// One line of the list of accounts. The list includes accounts that can't be opened.
    package indirect enum Entry: Sendable {
        case account(Account, Session)
        case unreadable(UUID, any KnownError)
    }

    // MARK: Reading

    package func profile(_ id: UUID) throws -> Account {
        try read(.profile, of: id) { record in
            try lastProfile.value(of: record, Account.init(record:))
        }
    }

    /// The account with a UUID; nil if this vault does not have it.
    func account(_ id: UUID) throws -> Account? {
        let isHere = try vault.hasAccount(id)
        return isHere ? try profile(id) : nil
    }

    /// The profile of an account, if the account belongs to this network.
    func profile(_ id: UUID, on policy: NetworkPolicy) throws -> Account {
        let profile = try profile(id)
        try profile.checkNetwork(policy)
        return profile
    }

    package func session(_ id: UUID) throws -> Session {
        try read(.session, of: id) { record in
            try lastSession.value(of: record) { record throws(UnreadableRecord) in try Session(record: record)
            }
        }
    }

    private func read<Value>(
        _ kind: RecordKind, of id: UUID, _ value: (SecretBytes) throws -> Value
    ) throws -> Value {
        let record = try vault.read(kind, of: id)
        do {
            return try value(record.content)
        } catch let error as UnreadableRecord {
            throw VaultError.unreadableRecord(id, error)
        }
    }

    /// The other accounts whose sessions are bound to the same client key. None for a public client, or if a backend has
    /// the key.
    func others(withKeyOf session: Session, than id: UUID) async throws -> [Account] {
        guard let client = session.credential.oauth?.client, client.isConfidential, client.backend == nil
        else { return [] }
        return try await map { entry -> Account? in
            guard case .account(let profile, let other) = entry, profile.id != id,
                other.credential.oauth?.client == client
            else { return nil }
            return profile
        }.compactMap(\.self)
    }

    /// Every account, oldest first.
    package func entries() async throws -> [Entry] {
        try await map { $0 }
    }

    /// Maps every account, oldest first. Opening and mapping run on all cores. Only the mapped values are kept, to save
    /// memory with thousands of accounts.
    package func map<Part: Sendable>(
        _ part: @escaping @Sendable (Entry) -> Part
    ) async throws -> [Part] {
        let ids = try vault.accountsAndRemains()
        // With thousands of accounts, all cores help. A few accounts are opened before another thread could start.
        let chunk = 256
        var parts: [OrderedPart<Part>] = []
        if ids.count <= chunk {
            parts = try ids.compactMap { try ordered($0, part) }
        } else {
            try await withThrowingTaskGroup(of: [OrderedPart<Part>].self) { group in
                for start in stride(from: 0, to: ids.count, by: chunk) {
                    let some = ids[start..<min(start + chunk, ids.count)]
                    group.addTask(executorPreference: globalConcurrentExecutor) {
                        try some.compactMap { try ordered($0, part) }
                    }
                }
                for try await some in group { parts += some }
            }
        }
        return parts.indices.sorted { parts[$0].order < parts[$1].order }.map { parts[$0].part }
    }

    /// Maps one account; nil if it has lost its records or is being removed.
    private func ordered<Part>(_ id: UUID, _ part: (Entry) -> Part) throws -> OrderedPart<Part>? {
        do {
            let profile = try read(.profile, of: id, Account.init(record:))
            let session = try read(.session, of: id) { try Session(record: $0) }
            return OrderedPart(order: (profile.addedAt, id), part: part(.account(profile, session)))
        } catch let error as any KnownError {
            guard vault.isHere(id) else { return nil }
            return OrderedPart(order: (.distantFuture, id), part: part(.unreadable(id, error)))
        }
    }

    /// The readable profiles, oldest first, even if their sessions are unreadable.
    ///
    /// - Throws: the error of the first account, if accounts exist and none is readable.
    package func profiles() throws -> [Account] {
        let all = try everyProfile()
        if all.readable.isEmpty, let first = all.unreadable.first { throw first.error }
        return all.readable
    }

    /// The readable profiles, oldest first, and the errors of the others.
    package func everyProfile() throws -> (
        readable: [Account], unreadable: [(id: UUID, error: VaultError)]
    ) {
        try rules.all()
    }

    package func active() throws -> ActiveAccount {
        try vault.active()
    }

    /// The active account for a command that selects a new one. An unreadable file counts as no active account.
    package func activeIfReadable() throws -> ActiveAccount {
        do {
            return try active()
        } catch let error as any KnownError where error.isOfOneFile {
            return ActiveAccount(current: nil, previous: nil, isExplicitlyNone: true)
        }
    }

    // MARK: Finding

    /// Finds an account by its handle, DID, label, UUID or the beginning of its UUID.
    ///
    /// A handle or a DID of several sessions is the session without a label, if the others are of the same DID and network. So a
    /// second login with a label changes nothing for a script that names the handle.
    package func find(_ text: String) throws -> Account {
        let name = text.hasPrefix("@") ? String(text.dropFirst()) : text
        if let id = UUID(uuidString: name), let profile = try account(id) { return profile }
        var matches: [Account] = []
        if let found = try vault.find(name: name) {
            // In the index, an old name may still lead to the account that had it. An account that can't be read may be the
            // one that is meant.
            for id in found {
                let profile = try profile(id)
                if profile.answers(to: name) { matches.append(profile) }
            }
        } else {
            matches = try everyAccount(answeringTo: name)
        }
        if matches.isEmpty {
            for id in try accounts(beginning: name) { matches.append(try profile(id)) }
        }
        // If the index misses an account, look at all of them.
        if matches.isEmpty { matches = try everyAccount(answeringTo: name) }
        switch matches.count {
        case 0:
            let known = try profiles()
            throw known.isEmpty ? CoreError.noAccounts : CoreError.unknownAccount(text, known: known)
        case 1: return matches[0]
        default:
            if let plain = Self.withoutLabel(matches, named: name) { return plain }
            throw CoreError.ambiguousAccount(text, candidates: matches)
        }
    }

    /// All readable accounts with a name.
    ///
    /// - Throws: the error of an account that can't be read, if that one may be meant: the session without a label.
    private func everyAccount(answeringTo name: String) throws -> [Account] {
        let (readable, unreadable) = try everyProfile()
        let matches = readable.filter { $0.answers(to: name) }
        let areOthers = matches.allSatisfy { $0.label != nil && $0.with(label: nil).answers(to: name) }
        if let first = unreadable.first, !matches.isEmpty, areOthers { throw first.error }
        return matches
    }

    /// The session that a handle or a DID alone means: the only one without a label, if all are of one DID and one network.
    private static func withoutLabel(_ matches: [Account], named name: String) -> Account? {
        guard matches.allSatisfy({ $0.with(label: nil).answers(to: name) }),
            Set(matches.map(\.did)).count == 1, Set(matches.map(\.devNetwork)).count == 1
        else { return nil }
        let plain = matches.filter { $0.label == nil }
        return plain.count == 1 ? plain[0] : nil
    }

    /// Selects the account of a command: `-a`, then the environment, then the nearest pin, then the active account,
    /// then the only account.
    ///
    /// After a logout of the active account, the only remaining account is not selected. Then the command fails because
    /// no account is active.
    package func select(_ choice: AccountChoice) throws -> AccountSelection {
        if let flag = choice.flag { return AccountSelection(account: try find(flag), source: .flag) }
        if let name = choice.environment {
            return AccountSelection(account: try find(name), source: .environment)
        }
        if let pin = choice.pin {
            guard let account = try account(pin.account) else { throw CoreError.unknownPin(pin) }
            return AccountSelection(account: account, source: .pin, file: pin.file)
        }
        let active = try active()
        if let id = active.current { return AccountSelection(account: try profile(id), source: .active) }
        let all = try profiles()
        guard let first = all.first else { throw CoreError.noAccounts }
        guard all.count == 1, !active.isExplicitlyNone else { throw CoreError.noneActive(all) }
        return AccountSelection(account: first, source: .only)
    }

    // MARK: Switching

    /// Makes an account active and remembers the previous one.
    package func activate(_ id: UUID?) throws {
        try vault.setActive(id)
    }
}

extension Account {
    /// Refuses an account of another network: the real network or a dev network.
    package func checkNetwork(_ policy: NetworkPolicy) throws {
        guard devNetwork == policy.devNetwork else {
            throw CoreError.wrongNetwork(self, devNetwork: policy.devNetwork)
        }
    }
}

/// Caches the value decoded from the last record. `call --paginate` reads the record again before every page. While its
/// bytes are unchanged, the decoded session and its opened key are reused.
private final class LastRecord<Value: Sendable>: Sendable {
    private let last = Mutex<(record: SecretBytes, value: Value)?>(nil)

    func value(
        of record: SecretBytes, _ read: (SecretBytes) throws(UnreadableRecord) -> Value
    ) throws(UnreadableRecord) -> Value {
        if let last = last.withLock({ $0 }), last.record == record { return last.value }
        let value = try read(record)
        last.withLock { $0 = (record, value) }
        return value
    }
}

/// The mapped value of an account, and its place in the order.
private struct OrderedPart<Part: Sendable>: Sendable {
    let order: (Date, UUID)
    let part: Part
}
