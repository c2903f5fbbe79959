package import FoundationEssentials

/// What opening every file of a vault has shown.
package struct VaultCheck: Sendable {
    /// A file that can't be used, and why.
    package struct Finding: Sendable {
        /// Whose it is; nil for what belongs to no account.
        package let account: UUID?
        package let file: String
        package let error: VaultError
    }

    /// How many files are as they were written.
    package fileprivate(set) var goodFiles = 0
    package fileprivate(set) var findings: [Finding] = []
    /// Second copies that are not there or behind their record, and records behind their copy: what a process
    /// that was killed or a full disk leaves, and nothing is lost with.
    package fileprivate(set) var outdated: [String] = []
    /// What processes that were killed left in the workshop, of accounts or of the index of names.
    package fileprivate(set) var leftovers: [String] = []

    /// Takes a step on a file, and notes where the file is what keeps it from being done.
    fileprivate mutating func taking<Value>(
        _ file: String, of account: UUID?, _ step: () throws(VaultError) -> Value?
    ) throws(VaultError) -> Value? {
        do throws(VaultError) {
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
}

extension CredentialVault {
    /// Opens every file of the vault and changes none. Takes no lock for that: each file is an old one or a new one at
    /// every instant.
    package func check() throws(VaultError) -> VaultCheck {
        var check = VaultCheck()
        // The header: the vault is open.
        check.goodFiles = 1
        switch Self.problem(ofCopyBeside: try Self.header(layout), layout) {
        case nil: check.goodFiles += 1
        case .outdated: check.outdated.append(layout.headerCopy)
        case .damaged(let error), .unsafe(let error), .foreign(let error):
            try check.note(error, about: layout.headerCopy, of: nil)
        }
        for directory in [layout.locks, layout.workshop, layout.names] {
            do throws(VaultError) { try VaultFiles.verifyDirectory(directory) } catch {
                try check.note(error, about: directory, of: nil)
            }
        }
        let canBeLocked = !check.findings.contains { [layout.locks, layout.workshop].contains($0.file) }
        if canBeLocked { check.leftovers = try Self.leftovers(at: home) }
        _ = try check.taking(layout.active, of: nil) { () throws(VaultError) -> ActiveAccount? in
            try VaultFiles.exists(layout.active) ? try active() : nil
        }
        let hasNames = !check.findings.contains { $0.file == layout.names }
        for list in hasNames ? try nameLists() : [] {
            _ = try check.taking(list.file, of: nil) { () throws(VaultError) in try opened(list) }
        }
        for id in try Self.directories(layout) {
            var account = check
            try self.check(id, &account)
            // Nothing is wrong with an account that was removed meanwhile.
            if try VaultFiles.exists(layout.account(id)) { check = account }
        }
        return check
    }

    private func check(_ id: UUID, _ check: inout VaultCheck) throws(VaultError) {
        let directory = layout.account(id)
        do throws(VaultError) { try VaultFiles.verifyDirectory(directory) } catch {
            return try check.note(error, about: directory, of: id)
        }
        for kind in RecordKind.allCases {
            let item = item(kind, of: id)
            let record = try check.taking(item.file, of: id) { () throws(VaultError) in
                guard let record = try opened(item) else { throw item.damaged("is missing") }
                return record.record.generation
            }
            let copy = copyItem(kind, of: id)
            let known = check.findings.count
            let generation = try check.taking(copy.file, of: id) { () throws(VaultError) in
                try opened(copy)?.record.generation
            }
            guard check.findings.count == known, let record, generation != record else { continue }
            check.outdated.append(generation ?? 0 < record ? copy.file : item.file)
        }
        _ = try check.taking(layout.intent(of: id), of: id) { () throws(VaultError) in
            try storedIntent(of: id)
        }
        _ = try check.taking(layout.handover(of: id), of: id) { () throws(VaultError) in
            try opened(handoverItem(id))
        }
    }
}

extension VaultError {
    /// Whether it says that one file can't be used, which is no reason not to look at the next.
    var isAboutAFile: Bool {
        switch self {
        case .damaged, .newerFormat, .unsafePermissions, .foreignOwner, .symlink, .io: true
        default: false
        }
    }
}
