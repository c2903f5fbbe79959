internal import BskyAuthRows
internal import FoundationEssentials

/// The store that the machines of a shared vault have in common, and what this machine is in it
/// (docs/design/shared-vault.md).
package struct SharedStore: Sendable {
    let rows: any RowStore
    let machine: SharedMachine
    let limits: Limits

    init(rows: any RowStore, machine: SharedMachine, limits: Limits = Limits()) {
        self.rows = rows
        self.machine = machine
        self.limits = limits
    }

    /// The times of the protocol, on the clock that also runs while a machine sleeps.
    ///
    /// A request is sent within ``send`` and answered within 60 seconds more. Its machine may then need ``commit`` to store the
    /// answer. So ``takeover`` is longer than these three together.
    package struct Limits: Sendable {
        /// How long after the claim was begun a request may still be sent.
        let send: Duration
        /// How long after its intent was written a request is certainly over.
        let answer: Duration
        /// How long an ephemeral machine tries to store its answer.
        let commit: Duration
        /// How long a machine must have seen the claim of an ephemeral machine before it takes the claim over.
        let takeover: Duration
        /// How long a login waits for the account of another machine that has put its row and not its record yet.
        let appearance: Duration

        package init(
            send: Duration = .seconds(20), answer: Duration = .seconds(90),
            commit: Duration = .seconds(120), takeover: Duration = .seconds(240),
            appearance: Duration = .seconds(5)
        ) {
            self.send = send
            self.answer = answer
            self.commit = commit
            self.takeover = takeover
            self.appearance = appearance
        }
    }
}

/// The row of an account as it was read.
struct SharedRow: Sendable {
    var record: SharedRecord
    let revision: Revision
}

extension SharedStore {
    /// Reads the record of an account; nil if the store has none.
    func read(_ id: UUID, _ files: SealedFileStore) async throws(VaultError) -> SharedRow? {
        let row: StoredRow?
        do { row = try await rows.get(SharedRecord.key(id)) } catch { throw .store(error) }
        guard let row else { return nil }
        return SharedRow(
            record: try SharedRecord(row.value, of: id, in: files), revision: row.revision)
    }

    /// Writes a record in place of the one that was read.
    ///
    /// - Parameter read: the row that must still be there; nil for none.
    /// - Returns: the written row; nil if another row was there.
    /// - Throws: ``VaultError/store(_:)``. Only if the error's outcome is unknown, the write may still happen.
    func write(
        _ record: SharedRecord, over read: SharedRow?, of id: UUID, _ files: SealedFileStore
    ) async throws(VaultError) -> SharedRow? {
        guard case .written(let revision) = try await put(record, over: read, of: id, files) else {
            return nil
        }
        return SharedRow(record: record, revision: revision)
    }

    /// The same. Also tells what became of a write after which another row was there.
    func put(
        _ record: SharedRecord, over read: SharedRow?, of id: UUID, _ files: SealedFileStore
    ) async throws(VaultError) -> WriteOutcome {
        let bytes = try record.sealed(as: id, in: files)
        return try await put(SharedRecord.key(id), bytes, over: read?.revision)
    }

    /// What became of a write that expected a revision.
    enum WriteOutcome: Sendable {
        case written(Revision)
        /// The row had another revision, and nothing was written.
        case refused
        /// The write got no answer, and the row has another revision by now. The write may have happened before that.
        case overwritten
    }

    /// Writes sealed bytes into a row.
    ///
    /// A write that got no answer may have been made, or may still be made. So the row is read again: sealed bytes are never
    /// the same twice, and a write that expects an older revision can't happen any more.
    ///
    /// - Parameter expected: the revision that the row must still have; nil: there must be no row.
    /// - Throws: ``VaultError/store(_:)``. Only if the error's outcome is unknown, the write may still happen.
    func put(
        _ key: String, _ bytes: [UInt8], over expected: Revision?
    ) async throws(VaultError) -> WriteOutcome {
        let condition = expected.map { RowCondition.unchanged($0) } ?? .absent
        do {
            return try await rows.put(key, bytes, if: condition).map { .written($0) } ?? .refused
        } catch {
            guard error.outcome == .unknown else { throw .store(error) }
            let found: StoredRow?
            do { found = try await rows.get(key) } catch _ { throw .store(error) }
            if let found, found.value == bytes { return .written(found.revision) }
            guard found?.revision == expected else { return .overwritten }
            // It may still land. The same bytes that expect the same revision can land once only.
            do {
                if let revision = try await rows.put(key, bytes, if: condition) { return .written(revision) }
                let found = try await rows.get(key)
                if let found, found.value == bytes { return .written(found.revision) }
                return .overwritten
            } catch { throw .store(RowStoreError(error.description, outcome: .unknown, code: error.code)) }
        }
    }

    /// What a repair of a record waits for, as this machine sees it.
    func repair(of record: SharedRecord) -> VaultError.Repair {
        VaultError.Repair(
            needsThis: record.awaited.contains { $0.id == machine.id },
            others: record.awaited.filter { $0.id != machine.id }.map(\.name))
    }

    /// Waits until the row of an account is another one than the one that was read, within a limit.
    func waitForChange(of id: UUID, after read: SharedRow?, atMost limit: Duration) async throws(VaultError) {
        let key = SharedRecord.key(id)
        let result = await withTaskGroup(of: Result<Void, RowStoreError>.self) { group in
            group.addTask {
                do throws(RowStoreError) {
                    _ = try await rows.change(of: key, after: read?.revision)
                    return .success(())
                } catch { return .failure(error) }
            }
            group.addTask {
                // A cancelled sleep ends the wait as well.
                try? await Task.sleep(for: limit)
                return .success(())
            }
            defer { group.cancelAll() }
            return await group.next()
        }
        if Task.isCancelled { throw .cancelled }
        do { try result?.get() } catch { throw .store(error) }
    }
}
