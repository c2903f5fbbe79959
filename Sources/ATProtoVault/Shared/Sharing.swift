package import ATPCryptography
package import ATPPlatform
internal import BskyAuthRows
internal import FoundationEssentials

/// Sharing a vault with other machines, and joining a shared vault.
extension CredentialVault {
    /// Whether several machines share the vault.
    package var isShared: Bool { shared != nil }

    /// Shares the vault through a store that is empty under its prefix.
    ///
    /// Before anything is in the store, the vault's header names it. So no process refreshes a session without the store any
    /// more. A process that refreshes one just now finishes first. After an interruption, the next call with the same URL does
    /// the rest.
    ///
    /// - Parameters:
    ///   - url: where the store is. It has no password.
    ///   - machine: this machine.
    ///   - progress: is told how many accounts of how many are in the store.
    /// - Returns: the shared vault. This object can only read from now on.
    package func share(
        through url: String, password: SecretBytes?, as machine: SharedMachine, with stores: StoreOpener,
        progress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) async throws(VaultError) -> CredentialVault {
        guard !isRekeying else { throw .sharingRefused(.rekeying) }
        let isResumed = header.shared?.store == url && header.shared?.isBegun == true
        if let place = header.shared, !isResumed { throw .sharingRefused(.isShared(store: place.store)) }
        guard header.slots.contains(where: \.isShared) else { throw .sharingRefused(.noKeyFile) }
        let vault = isResumed ? self : try await naming(url, password, machine, stores)
        guard let accounts = vault.sharedAccounts else { throw .sharingChanged }
        let earlier = try await accounts.store.header(of: url)
        if case .shared(let found) = earlier?.header.state {
            guard isResumed, found.id == id, found.isAuthentic(header.keys) else {
                throw .sharingRefused(.isShared(store: url))
            }
            return try vault.finishSharing(with: stores)
        }
        let ids = try vault.accounts()
        for (done, id) in ids.enumerated() {
            progress(done, ids.count)
            let lock = try await vault.lock(id, timeout: SharedAccounts.longestTurn)
            try await accounts.publish(id, under: lock)
        }
        progress(ids.count, ids.count)
        // Rows of an earlier sharing may name accounts that are gone, and no other machine is there yet.
        try await accounts.removeLogins()
        try await accounts.completeLogins(try await accounts.rows())
        try await accounts.takeClients()
        try await accounts.join()
        // The header comes last: other machines can join when everything is there.
        let condition = earlier.map { RowCondition.unchanged($0.revision) } ?? .absent
        let shared = try SharedHeader(
            vault.header, sharedBy: accounts.store.machine, in: vault.files)
        guard try await accounts.store.write(shared, if: condition) else {
            throw .sharingRefused(.storeInUse)
        }
        return try vault.finishSharing(with: stores)
    }

    /// Refuses a store that has other data. This vault leaves its header when it is unshared.
    private func requireRoom(in store: SharedStore, at url: String) async throws(VaultError) {
        let earlier = try await store.header(of: url)?.header.state
        if case .unshared(let sealed) = earlier {
            guard (try? files.machine(sealed, as: SharedHeader.machine(of: id))) != nil else {
                throw .sharingRefused(.storeInUse)
            }
        } else if earlier != nil {
            throw .sharingRefused(.storeInUse)
        }
        let prefix = earlier == nil ? "" : SharedRecord.keys
        let present: [StoredRow]
        do { present = try await store.rows.list(prefix, after: nil, limit: 1) } catch { throw .store(error) }
        guard present.isEmpty else { throw .sharingRefused(.storeInUse) }
    }

    /// Notes that the store has all of the vault.
    private func finishSharing(with stores: StoreOpener) throws(VaultError) -> CredentialVault {
        try header.change { content throws(VaultError) in content.shared?.isBegun = false }
        return try CredentialVault(
            try UnlockedHeader(header.readAgain(), header.keys, in: header.store), stores)
    }

    /// Names the store in the header of the vault.
    private func naming(
        _ url: String, _ password: SecretBytes?, _ machine: SharedMachine, _ stores: StoreOpener
    ) async throws(VaultError) -> CredentialVault {
        var place = try SharedPlace(store: url, machine: machine, password, of: id, header.keys)
        place.isBegun = true
        let store = try stores.store(place, of: header)
        try await requireRoom(in: store, at: url)
        try header.change { content throws(VaultError) in
            if let other = content.shared { throw .sharingRefused(.isShared(store: other.store)) }
            content.shared = place
        }
        return try CredentialVault(
            try UnlockedHeader(header.readAgain(), header.keys, in: header.store), stores)
    }

    /// Joins a shared vault: creates a vault on this machine with copies of its accounts.
    ///
    /// - Parameters:
    ///   - url: where the store is. It has no password.
    ///   - key: a key file of the shared vault.
    ///   - home: the directory of the vault that is created.
    ///   - machine: this machine.
    ///   - mark: the id of this machine, if that is known.
    package static func join(
        _ url: String, password: SecretBytes?, key: KeySource, at home: String, as machine: SharedMachine,
        mark: MachineID? = nil, with stores: StoreOpener
    ) async throws(VaultError) -> CredentialVault {
        let store = HeaderStore(layout: VaultLayout(home: home))
        guard try !store.exists() else { throw .exists(home: home) }
        let secret = try key.secret()
        let shared = SharedStore(
            rows: try stores.rows(url, password), machine: machine, limits: stores.limits)
        guard let header = try await shared.header(of: url)?.header, case .shared(let found) = header.state
        else { throw .sharingRefused(.storeHasNoVault) }
        guard let (_, keys) = try found.unwrap(with: key, secret) else { throw key.wrongKeyError }
        guard found.isAuthentic(keys) else { throw VaultHeader.inauthentic("the header in \(url)") }
        let origin = try header.origin.map { sealed throws(VaultError) in
            try SealedFileStore.machine(
                SharedHeader.machine(of: found.id).open(sealed, under: keys),
                SharedHeader.machine(of: found.id))
        }
        let place = try SharedPlace(
            store: url, machine: machine.agreeing(on: origin?.takeover), password, of: found.id, keys)
        let local = VaultHeader(
            VaultHeader.Content(
                id: found.id, keyID: found.keyID, slots: found.slots, previousKey: nil,
                machines: mark.map { [MachineMark($0, in: found.id)] } ?? [], shared: place),
            keys)
        let vault = try CredentialVault(try UnlockedHeader(local, keys, in: store), stores)
        try await vault.sharedAccounts?.requireOwnName()
        _ = try create(in: store) { (local, keys) }
        try await vault.enter()
        return vault
    }

    /// Joins again with a vault that has joined: for a new password of the store, another name or kind of the machine, or after an
    /// interruption.
    ///
    /// - Parameters:
    ///   - password: nil: the one that the vault has.
    ///   - name: the new name of the machine; nil for the one that it has.
    ///   - isDurable: nil: as before.
    package func joinAgain(
        _ url: String, password: SecretBytes?, name: String?, isDurable: Bool?, with stores: StoreOpener
    ) async throws(VaultError) -> CredentialVault {
        guard let place = header.shared else { throw .exists(home: home) }
        guard place.store == url else { throw .sharingRefused(.isShared(store: place.store)) }
        let machine = SharedMachine(
            id: place.machine.id, name: name ?? place.machine.name,
            isDurable: isDurable ?? place.machine.isDurable, takeover: place.machine.takeover)
        var changed = place
        if let password {
            changed = try SharedPlace(store: url, machine: machine, password, of: id, header.keys)
            changed.isBegun = place.isBegun
        } else {
            changed.machine = machine
        }
        // The new password must work before it takes the place of the other one.
        let store = try stores.store(changed, of: header)
        _ = try await store.header(of: url)
        if changed.machine != place.machine {
            try await SharedAccounts(vault: self, store: store).requireOwnName()
        }
        try header.change { content throws(VaultError) in content.shared = changed }
        let vault = try CredentialVault(
            try UnlockedHeader(header.readAgain(), header.keys, in: header.store), stores)
        try await vault.enter()
        return vault
    }

    private func enter() async throws(VaultError) {
        guard let accounts = sharedAccounts else { throw .sharingChanged }
        _ = try await accounts.storeHeader()
        try await accounts.join()
        _ = try await accounts.synchronize()
    }
}

extension SharedPlace {
    /// - Parameter password: is sealed under the vault's key.
    fileprivate init(
        store: String, machine: SharedMachine, _ password: SecretBytes?, of vault: UUID, _ keys: VaultKeys
    ) throws(VaultError) {
        var sealed: [UInt8]?
        if let password {
            sealed = try Self.password(of: vault).seal(password, generation: 0, under: keys)
        }
        self.init(store: store, machine: machine, password: sealed)
    }
}
