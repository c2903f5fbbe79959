package import FoundationEssentials

/// The result of opening every file of a vault.
package struct VaultCheck: Sendable {
    /// A file that can't be used, and why.
    package struct Finding: Sendable {
        /// The account that the file belongs to; nil if it belongs to none.
        package let account: UUID?
        package let file: String
        package let error: VaultError
    }

    /// The number of undamaged files.
    package fileprivate(set) var goodFiles = 0
    package fileprivate(set) var findings: [Finding] = []
    /// Second copies that are missing or older than their record, and records that are older than their copy. A killed
    /// process or a full disk can cause this. No data is lost.
    package fileprivate(set) var outdated: [String] = []
    /// The directories that killed processes left in ``Workshop``.
    package fileprivate(set) var leftovers: [String] = []
    /// The logins that a killed process left before it could save them. Nothing is lost.
    package fileprivate(set) var keptLogins: [String] = []

    /// Counts a file as good if the step returns a value. Notes a finding if the file makes the step fail.
    fileprivate mutating func checking<Value>(
        _ file: String, of account: UUID?, _ step: @autoclosure () throws(VaultError) -> Value?
    ) throws(VaultError) -> Value? {
        do {
            let value = try step()
            if value != nil { goodFiles += 1 }
            return value
        } catch {
            try note(error, about: file, of: account)
            return nil
        }
    }

    fileprivate mutating func note(
        _ error: VaultError, about file: String, of account: UUID?
    ) throws(VaultError) {
        guard error.isAboutAFile else { throw error }
        findings.append(Finding(account: account, file: file, error: error))
    }

    fileprivate func isFound(_ file: String) -> Bool { findings.contains { $0.file == file } }
}

/// Opens every file of a vault and changes none.
///
/// The check takes no lock, because every file is complete at every instant.
struct VaultChecker {
    let store: HeaderStore
    let accounts: AccountDirectories
    let files: SealedFileStore
    let intents: IntentFiles
    let names: NameIndex
    let active: ActivePointer
    let logins: KeptLogins
    let clients: ClientFiles
    let workshop: Workshop

    private var layout: VaultLayout { store.layout }

    func check() throws(VaultError) -> VaultCheck {
        var check = VaultCheck()
        try checkHeader(&check)
        for directory in [layout.locks, layout.workshop, layout.names, layout.logins, layout.clients] {
            do { try VaultFiles.verifyDirectory(directory) } catch {
                try check.note(error, about: directory, of: nil)
            }
        }
        if !check.isFound(layout.locks), !check.isFound(layout.workshop) {
            check.leftovers = try workshop.leftovers()
        }
        let pointer = active.file.path
        _ = try check.checking(pointer, of: nil, VaultFiles.exists(pointer) ? active.read() : nil)
        for file in check.isFound(layout.names) ? [] : try names.allFiles() {
            _ = try check.checking(file.path, of: nil, files.read(file))
        }
        for file in check.isFound(layout.logins) ? [] : try logins.allFiles() {
            let kept = try check.checking(file.path, of: nil, files.read(file))
            if kept != nil { check.keptLogins.append(file.path) }
        }
        for file in check.isFound(layout.clients) ? [] : try clients.allFiles() {
            _ = try check.checking(file.path, of: nil, files.require(file))
        }
        for id in try accounts.all() {
            var account = check
            try self.check(id, &account)
            // Drop the findings of an account that was removed meanwhile.
            if try accounts.exists(id) { check = account }
        }
        return check
    }

    private func checkHeader(_ check: inout VaultCheck) throws(VaultError) {
        // Count the header as good: without it the vault would not be open.
        check.goodFiles = 1
        switch store.problem(ofCopyBeside: try store.read()) {
        case nil: check.goodFiles += 1
        case .outdated: check.outdated.append(layout.headerCopy)
        case .damaged(let error), .unsafe(let error), .foreign(let error):
            try check.note(error, about: layout.headerCopy, of: nil)
        }
    }

    private func check(_ id: UUID, _ check: inout VaultCheck) throws(VaultError) {
        let directory = layout.account(id)
        do { try VaultFiles.verifyDirectory(directory) } catch {
            return try check.note(error, about: directory, of: id)
        }
        for kind in RecordKind.allCases { try self.check(kind, of: id, &check) }
        _ = try check.checking(layout.intent(of: id).path, of: id, intents.read(of: id))
        for file in [layout.mirrorMark(of: id), layout.answer(of: id)] {
            _ = try check.checking(file.path, of: id, files.read(file))
        }
    }

    /// Compares a record with its second copy.
    private func check(_ kind: RecordKind, of id: UUID, _ check: inout VaultCheck) throws(VaultError) {
        let file = layout.record(kind, of: id)
        let record = try check.checking(file.path, of: id, files.require(file).record.generation)
        let copyFile = layout.copy(kind, of: id)
        let known = check.findings.count
        let copy = try check.checking(copyFile.path, of: id, files.read(copyFile)?.record.generation)
        guard check.findings.count == known, let record, copy != record else { return }
        check.outdated.append(copy ?? 0 < record ? copyFile.path : file.path)
    }
}

extension VaultError {
    /// Whether the error is about a single file. Then the other files can still be checked.
    var isAboutAFile: Bool {
        switch self {
        case .damaged, .newerFormat, .unsafePermissions, .foreignOwner, .symlink, .io: true
        default: false
        }
    }
}
