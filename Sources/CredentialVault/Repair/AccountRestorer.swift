package import FoundationEssentials

/// What ``CredentialVault/restore(_:under:)`` did about one file.
package struct Restoration: Sendable {
    package enum Outcome: Sendable {
        /// The record is what its second copy was; of what a store has, the least that it can have.
        ///
        /// `mayBeSpent`: a rotation began with the token in it and nobody knows how it ended. The next refresh
        /// finds out.
        case restored(mayBeSpent: Bool)
        /// The second copy was damaged or behind, and is the record's again.
        case copyRenewed
        /// It was damaged, and nothing is lost without it.
        case discarded
        /// It was left in the workshop by a process that was killed.
        case leftoverRemoved
        /// There is nothing to restore it from, or that is not what it needs.
        case left(VaultError)
    }

    package let account: UUID?
    package let file: String
    package let outcome: Outcome

    package init(account: UUID?, file: String, outcome: Outcome) {
        self.account = account
        self.file = file
        self.outcome = outcome
    }
}

extension CredentialVault {
    /// Where the files of an account are.
    package func directory(of id: UUID) -> String { layout.account(id) }

    /// Puts second copies in place of records that are damaged, and makes good copies of good records.
    ///
    /// Only what is damaged is replaced: a file that is unsafe to use, or a newer program's, is left as it is. A
    /// session is not restored from a generation that is known to be spent.
    package func restore(
        _ id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> [Restoration] {
        try require(lock, of: id)
        try VaultFiles.verifyDirectory(layout.account(id))
        var done: [Restoration] = []
        var spending = Spending.none
        let intent = intentItem(id)
        do throws(VaultError) {
            if let generation = try opened(intent)?.record.generation { spending = .generation(generation) }
        } catch {
            guard case .damaged = error else { throw error }
            // Without it a spent token is refused as any other, which ends the session as well.
            try VaultFiles.remove(intent.file)
            spending = .unknown
            done.append(Restoration(account: id, file: intent.file, outcome: .discarded))
        }
        if let handover = try restoreHandover(of: id) { done.append(handover) }
        for kind in RecordKind.allCases {
            let outcome = try restore(kind, of: id, spending: kind == .session ? spending : .none)
            guard let outcome else { continue }
            done.append(Restoration(account: id, file: outcome.file, outcome: outcome.outcome))
        }
        return done
    }

    /// Which generation's token a rotation that did not end was about to spend.
    private enum Spending: Equatable {
        case none
        case generation(UInt64)
        /// There was a rotation, and nobody can say of what.
        case unknown
    }

    /// Whatever the store of an account had: it is owed the session once more.
    private func restoreHandover(of id: UUID) throws(VaultError) -> Restoration? {
        do throws(VaultError) {
            _ = try opened(handoverItem(id))
            return nil
        } catch {
            guard case .damaged = error else { throw error }
            try writeHandover(of: 0, of: id, in: layout.account(id))
            return Restoration(
                account: id, file: layout.handover(of: id), outcome: .restored(mayBeSpent: false))
        }
    }

    /// nil where there is nothing to do.
    private func restore(
        _ kind: RecordKind, of id: UUID, spending: Spending
    ) throws(VaultError) -> (file: String, outcome: Restoration.Outcome)? {
        let item = item(kind, of: id)
        let copyItem = copyItem(kind, of: id)
        let copy: OpenedFile?
        do throws(VaultError) { copy = try opened(copyItem) } catch {
            guard case .damaged = error else { return (copyItem.file, .left(error)) }
            copy = nil
        }
        do throws(VaultError) {
            guard let record = try opened(item) else { throw item.damaged("is missing") }
            if let copy, copy.record.generation > record.record.generation {
                try putBack(copy, as: item)
                return (item.file, .restored(mayBeSpent: false))
            }
            guard copy?.bytes != record.bytes else { return nil }
            return (copyItem.file, try renewed(copyItem, record))
        } catch {
            guard case .damaged = error, let copy else { return (item.file, .left(error)) }
            let generation = copy.record.generation
            if case .generation(let spent) = spending, generation < spent { return (item.file, .left(error)) }
            try putBack(copy, as: item)
            let mayBeSpent = spending == .unknown || spending == .generation(generation)
            return (item.file, .restored(mayBeSpent: mayBeSpent))
        }
    }

    /// Makes a copy the record. It may be of an earlier generation, whose number the next session has again: a store
    /// is owed that one, whatever it had.
    private func putBack(_ copy: OpenedFile, as item: SealedItem) throws(VaultError) {
        let id = item.owner
        if item.kind == .session, try opened(handoverItem(id)) != nil {
            try writeHandover(of: 0, of: id, in: layout.account(id))
        }
        try VaultFiles.write(copy.bytes, to: item.file)
    }

    /// Makes the second copy of a good record; where that fails it is the copy that is left.
    private func renewed(
        _ copy: SealedItem, _ record: OpenedFile
    ) throws(VaultError) -> Restoration.Outcome {
        do throws(VaultError) {
            try VaultFiles.write(record.bytes, to: copy.file)
            return .copyRenewed
        } catch {
            return .left(error)
        }
    }
}
