package import FoundationEssentials

/// The result of a repair for one file.
package struct Restoration: Sendable {
    package enum Outcome: Sendable {
        /// A record was replaced by its second copy, or a mirror mark by the lowest generation.
        ///
        /// `mayBeSpent`: a rotation began with the token in this session, and its result is unknown. The next refresh
        /// shows whether the token still works.
        case restored(mayBeSpent: Bool)
        /// The second copy was damaged, missing or older, and was written again from the record.
        case copyRenewed
        /// The file was damaged and was removed. The account loses no data.
        case discarded
        /// A killed process had left the file in the workshop. It was removed.
        case leftoverRemoved
        /// The account got the session of a login that another process had kept.
        case loginFinished
        /// The file was not changed, because it can't be restored or because restoring it would not help.
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

/// Repairs the files of an account from their second copies. The caller holds the account's lock.
///
/// Only damaged, missing and outdated files are replaced. A file with unsafe permissions or of a newer program is not
/// changed. A session is not restored from a generation whose token is known to be spent.
struct AccountRestorer {
    let layout: VaultLayout
    let files: SealedFileStore
    let mirror: MirrorMark

    func restore(_ id: UUID) throws(VaultError) -> [Restoration] {
        try VaultFiles.verifyDirectory(layout.account(id))
        var done: [Restoration] = []
        let (spending, discarded) = try spending(of: id)
        if let discarded { done.append(discarded) }
        if let mark = try restoreMirrorMark(of: id) { done.append(mark) }
        if let answer = try discardDamagedAnswer(of: id) { done.append(answer) }
        for kind in RecordKind.allCases {
            let restored = try restore(kind, of: id, spending: kind == .session ? spending : .none)
            if let restored { done.append(restored) }
        }
        return done
    }

    /// The generation whose token an unfinished rotation was about to spend.
    private enum Spending: Equatable {
        case none
        case generation(UInt64)
        /// A rotation began, but its intent is damaged.
        case unknown
    }

    /// Reads the intent and removes a damaged intent. Removing it is safe: if the token is spent, the server refuses it,
    /// and the session has ended either way.
    private func spending(of id: UUID) throws(VaultError) -> (Spending, discarded: Restoration?) {
        let intent = layout.intent(of: id)
        do {
            guard let generation = try files.read(intent)?.record.generation else { return (.none, nil) }
            return (.generation(generation), nil)
        } catch {
            guard case .damaged = error else { throw error }
            try VaultFiles.remove(intent.path)
            return (.unknown, Restoration(account: id, file: intent.path, outcome: .discarded))
        }
    }

    /// Removes a damaged answer. It can't be read any more.
    private func discardDamagedAnswer(of id: UUID) throws(VaultError) -> Restoration? {
        let answer = layout.answer(of: id)
        do {
            _ = try files.read(answer)
            return nil
        } catch {
            guard case .damaged = error else { throw error }
            try VaultFiles.remove(answer.path)
            return Restoration(account: id, file: answer.path, outcome: .discarded)
        }
    }

    /// Replaces a damaged mirror mark, so that the mirror gets the session again.
    private func restoreMirrorMark(of id: UUID) throws(VaultError) -> Restoration? {
        do {
            _ = try mirror.generation(of: id)
            return nil
        } catch {
            guard case .damaged = error else { throw error }
            try mirror.write(0, of: id, in: layout.account(id))
            return Restoration(
                account: id, file: layout.mirrorMark(of: id).path, outcome: .restored(mayBeSpent: false))
        }
    }

    /// Repairs one record and its copy; nil if both are good.
    private func restore(
        _ kind: RecordKind, of id: UUID, spending: Spending
    ) throws(VaultError) -> Restoration? {
        let file = layout.record(kind, of: id)
        let copyFile = layout.copy(kind, of: id)
        func done(_ file: SealedFile, _ outcome: Restoration.Outcome) -> Restoration {
            Restoration(account: id, file: file.path, outcome: outcome)
        }
        let copy: OpenedFile?
        do { copy = try files.read(copyFile) } catch {
            guard case .damaged = error else { return done(copyFile, .left(error)) }
            copy = nil
        }
        do {
            let record = try files.require(file)
            if let copy, copy.record.generation > record.record.generation {
                try putBack(copy, as: file)
                return done(file, .restored(mayBeSpent: false))
            }
            guard copy?.bytes != record.bytes else { return nil }
            return done(copyFile, renew(copyFile, record))
        } catch {
            guard case .damaged = error, let copy else { return done(file, .left(error)) }
            let generation = copy.record.generation
            if case .generation(let spent) = spending, generation < spent { return done(file, .left(error)) }
            try putBack(copy, as: file)
            let mayBeSpent = spending == .unknown || spending == .generation(generation)
            return done(file, .restored(mayBeSpent: mayBeSpent))
        }
    }

    /// Writes a copy over its record. The copy may be of an earlier generation. Then the next session gets a generation
    /// that the mirror may already have, so the mirror is marked as behind.
    private func putBack(_ copy: OpenedFile, as file: SealedFile) throws(VaultError) {
        if file.kind == .session, try mirror.generation(of: file.owner) != nil {
            try mirror.write(0, of: file.owner, in: layout.account(file.owner))
        }
        try VaultFiles.write(copy.bytes, to: file.path)
    }

    /// Writes the second copy of a good record.
    private func renew(_ copy: SealedFile, _ record: OpenedFile) -> Restoration.Outcome {
        do {
            try VaultFiles.write(record.bytes, to: copy.path)
            return .copyRenewed
        } catch {
            return .left(error)
        }
    }
}
