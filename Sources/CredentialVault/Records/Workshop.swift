internal import Platform

/// What a process that was killed left of an account that it was adding or removing, or of an index of names: sealed files
/// that nothing leads to any more. Whoever adds or removes an account next removes them.
extension CredentialVault {
    /// The directories that were left, sorted; takes no key.
    ///
    /// - Returns: none while another process changes which accounts there are, or may: what is there can be its own.
    package static func leftovers(at home: String) throws(VaultError) -> [String] {
        let layout = VaultLayout(home: home)
        // The lock only where there is something: a vault that can't be written is looked at too.
        guard try !inWorkshop(layout).isEmpty else { return [] }
        try VaultFiles.verifyDirectory(layout.locks)
        guard let lock = tryLockHeader(layout) else { return [] }
        let files = try inWorkshop(layout)
        _ = consume lock
        return files
    }

    /// Removes what was left, or says why it can't be.
    package func discardLeftovers() throws(VaultError) -> [Restoration] {
        let lock = try lockHeader()
        let done: [Restoration]
        do throws(VaultError) {
            let files = try Self.inWorkshop(layout)
            try removeLeftovers()
            done = files.map { Restoration(account: nil, file: $0, outcome: .leftoverRemoved) }
        } catch {
            done = [Restoration(account: nil, file: layout.workshop, outcome: .left(error))]
        }
        _ = consume lock
        return done
    }

    private static func inWorkshop(_ layout: VaultLayout) throws(VaultError) -> [String] {
        try VaultFiles.verifyDirectory(layout.workshop)
        return try VaultFiles.names(in: layout.workshop).sorted().map { layout.workshop + "/" + $0 }
    }

    /// The header's lock where nobody has it; nil also where it can't be taken.
    private static func tryLockHeader(_ layout: VaultLayout) -> AdvisoryLock? {
        do { return try AdvisoryLock.tryAcquire(layout.headerLock) } catch { return nil }
    }
}
