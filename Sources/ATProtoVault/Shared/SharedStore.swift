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

        package init(
            send: Duration = .seconds(20), answer: Duration = .seconds(90),
            commit: Duration = .seconds(120), takeover: Duration = .seconds(240)
        ) {
            self.send = send
            self.answer = answer
            self.commit = commit
            self.takeover = takeover
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
    /// A write that got no answer may have been made, or may still be made. So the row is read again: sealed bytes are never
    /// the same twice, and a write whose condition is an older revision can't happen any more.
    ///
    /// - Parameter read: the row that must still be there; nil for none.
    /// - Returns: the written row; nil if another row was there.
    /// - Throws: ``VaultError/store(_:)``. Only if the error's outcome is unknown, the write may still happen.
    func write(
        _ record: SharedRecord, over read: SharedRow?, of id: UUID, _ files: SealedFileStore
    ) async throws(VaultError) -> SharedRow? {
        let bytes = try record.sealed(as: id, in: files)
        let (key, condition) = (
            SharedRecord.key(id), read.map { RowCondition.unchanged($0.revision) } ?? .absent
        )
        do {
            return try await rows.put(key, bytes, if: condition).map {
                SharedRow(record: record, revision: $0)
            }
        } catch {
            guard error.outcome == .unknown else { throw .store(error) }
            let found: StoredRow?
            do { found = try await rows.get(key) } catch _ { throw .store(error) }
            if let found, found.value == bytes { return SharedRow(record: record, revision: found.revision) }
            guard found?.revision == read?.revision else { return nil }
            // It may still land. The same bytes under the same condition can land once only.
            do {
                if let revision = try await rows.put(key, bytes, if: condition) {
                    return SharedRow(record: record, revision: revision)
                }
                let found = try await rows.get(key)
                return found?.value == bytes
                    ? found.map { SharedRow(record: record, revision: $0.revision) } : nil
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
    func waitForChange(of id: UUID, after read: SharedRow, atMost limit: Duration) async throws(VaultError) {
        let key = SharedRecord.key(id)
        let result = await withTaskGroup(of: Result<Void, RowStoreError>.self) { group in
            group.addTask {
                do throws(RowStoreError) {
                    _ = try await rows.change(of: key, after: read.revision)
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
