internal import ATProtoSessions
internal import BskyAuthRows
package import FoundationEssentials
internal import OAuthDPoP

/// The machines of a shared vault: the rows `machines/UUID`.
extension SharedAccounts {
    /// A machine of the vault, and the accounts that wait for it.
    package struct Member: Sendable {
        package let machine: SharedMachine
        /// Whether it is the machine that asks.
        package let isThis: Bool
        /// The accounts whose refresh the machine has begun and not finished, or that a repair has to get from it.
        package let claims: [UUID]
        /// Whether a repair waits for the machine.
        package let needsRepair: Bool
    }

    private static let machineKeys = "machines/"
    /// How long an ephemeral machine is listed, in seconds. Its job does not tell when it ends.
    private static let ephemeralLife = 86_400.0

    private static func file(of machine: UUID) -> SealedFile {
        SealedFile(kind: .machine, owner: machine, path: "the row of the machine \(machine.text)")
    }

    /// Notes in the store that this machine uses the vault.
    func join() async throws(VaultError) {
        let machine = store.machine
        let expiry = machine.isDurable ? nil : Date().addingTimeInterval(Self.ephemeralLife)
        let bytes = try files.seal(machine, as: Self.file(of: machine.id))
        do {
            try await store.rows.put(Self.machineKeys + machine.id.text, bytes, expiry: expiry, if: .always)
        } catch { throw .store(error) }
    }

    /// The machines of the vault, by their names. A machine with a claim is among them even if its row is gone.
    ///
    /// - Throws: ``VaultError/sharingRefused(_:)`` if the vault is not in the store any more.
    package func machines() async throws(VaultError) -> [Member] {
        _ = try await storeHeader()
        var found: [UUID: SharedMachine] = [:]
        var claims: [UUID: [UUID]] = [:]
        var awaited: Set<UUID> = []
        for (id, record) in try await rows() {
            for machine in record.awaited {
                awaited.insert(machine.id)
                found[machine.id] = machine
                if record.claim?.machine.id != machine.id { claims[machine.id, default: []].append(id) }
            }
            guard let claim = record.claim, !claim.isForgotten else { continue }
            claims[claim.machine.id, default: []].append(id)
            found[claim.machine.id] = claim.machine
        }
        for row in try await listed() { found[row.id] = try opened(row.row, row.id) }
        let members = found.map { id, machine in
            Member(
                machine: machine, isThis: id == store.machine.id, claims: claims[id] ?? [],
                needsRepair: awaited.contains(id))
        }
        return members.sorted { ($0.machine.name, $0.machine.id) < ($1.machine.name, $1.machine.id) }
    }

    /// Whether another machine has forgotten this one. The row of an ephemeral machine ends by itself.
    func isForgotten() async throws(VaultError) -> Bool {
        guard store.machine.isDurable else { return false }
        do { return try await store.rows.get(Self.machineKeys + store.machine.id.text) == nil } catch {
            throw .store(error)
        }
    }

    /// The rows of the machines that have joined and were not forgotten.
    private func listed() async throws(VaultError) -> [(id: UUID, row: StoredRow)] {
        try await list(Self.machineKeys).compactMap { row in
            UUID(text: String(row.key.dropFirst(Self.machineKeys.count))).map { ($0, row) }
        }
    }

    private func opened(_ row: StoredRow, _ id: UUID) throws(VaultError) -> SharedMachine {
        try files.machine(row.value, as: Self.file(of: id))
    }

    /// Checks that no other machine that stays has the name of this one, if this one stays too. The jobs of CI join under one name.
    func requireOwnName() async throws(VaultError) {
        let machine = store.machine
        guard machine.isDurable else { return }
        for (id, row) in try await listed() where id != machine.id {
            // A row that can't be read does not stop a machine; `vault machines` names it.
            guard let other = try? opened(row, id), other.isDurable, other.name == machine.name else {
                continue
            }
            throw .sharingRefused(.nameTaken(by: other))
        }
    }

    /// Takes a machine that never returns off the list, and lets others take over what it has begun.
    ///
    /// - Returns: the accounts that waited for it.
    package func forget(_ machine: UUID) async throws(VaultError) -> [UUID] {
        var freed: [UUID] = []
        for (id, listed) in try await rows() where listed.waits(for: machine) {
            while let read = try await store.read(id, files), read.record.waits(for: machine) {
                var record = read.record
                if record.claim?.machine.id == machine { record.claim?.isForgotten = true }
                if !record.awaited.isEmpty {
                    record.noteRepair(
                        by: machine, token: try record.session(of: id)?.refreshToken?.fingerprint)
                }
                if try await store.write(record, over: read, of: id, files) != nil { freed.append(id) }
            }
        }
        try await remove(Self.machineKeys + machine.text)
        return freed
    }

    /// The machines that a repair waits for in any case.
    func durableMachines() async throws(VaultError) -> [SharedMachine] {
        try await machines().map(\.machine).filter(\.isDurable)
    }

    /// Keeps all machines from refreshing anything, because the store went back: every durable machine has to repair it first, and
    /// so has this one where it may know more.
    func stopRefreshes() async throws(VaultError) {
        let durable = try await durableMachines()
        for (id, listed) in try await rows() where listed.isRefreshed {
            while let read = try await store.read(id, files), read.record.isRefreshed {
                var record = read.record
                record.awaited = durable
                if !record.isAwaited(store.machine), try isAhead(id, of: record) {
                    record.awaited.append(store.machine)
                }
                if try await store.write(record, over: read, of: id, files) != nil { break }
            }
        }
        guard !store.machine.isDurable else { return }
        for id in try vault.accounts() {
            // Another process of this machine does it when it reads the record.
            do {
                guard let lock = try vault.tryLock(id) else { continue }
                try await SharedAccount(id, in: vault, store).offerAtOnce(under: lock)
            } catch {
                // An account that can't be read does not hold up the others.
                if case .store = error { throw error }
            }
        }
    }

    /// Whether this machine may know more than a record. A copy that can't be read may be newer.
    private func isAhead(_ id: UUID, of record: SharedRecord) throws(VaultError) -> Bool {
        guard try vault.hasAccount(id) else { return false }
        do { return try SharedAccount(id, in: vault, store).copy().isAhead(of: record) } catch { return true }
    }

    /// After the store went back: offers what this machine has to it. See ``SharedAccount/repair(awaiting:pausing:under:)``.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for another process of this machine that uses an account.
    ///   - pause: is told for how long it waits for a request of this machine that may still be on its way.
    /// - Returns: the names of the machines that still have to do the same; nil if there was nothing to repair.
    package func repair(
        waiting limit: Duration, pausing pause: (Duration) -> Void = { _ in }
    ) async throws(VaultError) -> [String]? {
        _ = try await storeHeader()
        // This machine may have joined after the state that the store has now.
        try await join()
        // The repair waits for this machine also where it has no copy yet.
        for (id, record) in try await rows() { _ = try addCopy(of: record, as: id) }
        let durable = try await durableMachines()
        var awaited: [UUID: String]?
        var failure: VaultError?
        for id in try vault.accounts() {
            // An account that can't be repaired does not hold up the others.
            do {
                let lock = try await vault.lock(id, timeout: limit)
                let account = SharedAccount(id, in: vault, store)
                guard let others = try await account.repair(awaiting: durable, pausing: pause, under: lock)
                else { continue }
                awaited = others.reduce(into: awaited ?? [:]) { $0[$1.id] = $1.name }
            } catch {
                if case .store = error { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return awaited.map { $0.values.sorted() }
    }

    func remove(_ key: String) async throws(VaultError) {
        do { try await store.rows.delete(key, if: .always) } catch { throw .store(error) }
    }

    /// Takes all machines off the list.
    func removeMachines() async throws(VaultError) {
        for row in try await list(Self.machineKeys) { try await remove(row.key) }
    }
}

extension SharedRecord {
    /// Whether machines refresh the account, and no repair is going on.
    fileprivate var isRefreshed: Bool { account != nil && awaited.isEmpty }

    /// Whether the others wait for a machine: for its refresh, or for what it has after the store went back.
    fileprivate func waits(for machine: UUID) -> Bool {
        (claim?.machine.id == machine && claim?.isForgotten == false) || awaited.contains { $0.id == machine }
    }

    /// Whether a repair waits for a machine.
    func isAwaited(_ machine: SharedMachine) -> Bool { awaited.contains { $0.id == machine.id } }
}
