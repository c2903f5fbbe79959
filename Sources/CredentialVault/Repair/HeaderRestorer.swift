/// Repairs the header from its second copy, and the copy from the header.
struct HeaderRestorer {
    let store: HeaderStore

    private var layout: VaultLayout { store.layout }

    /// Puts the second copy in place of a header that is damaged or missing.
    ///
    /// This needs no key. Opening the vault afterwards shows whether the copy is authentic.
    ///
    /// - Returns: nil if the header is good, or if the copy can't help.
    func restoreHeader() throws(VaultError) -> Restoration? {
        guard let wrong = damage() else { return nil }
        try VaultFiles.verifyDirectory(layout.home)
        try VaultFiles.createDirectory(layout.locks)
        let lock = try store.lock()
        guard damage() != nil else { return nil }
        let copy: [UInt8]?
        do { copy = try store.readCopy() } catch { copy = nil }
        guard let copy else { return Restoration(account: nil, file: layout.header, outcome: .left(wrong)) }
        try VaultFiles.write(copy, to: layout.header)
        _ = consume lock
        return Restoration(account: nil, file: layout.header, outcome: .restored(mayBeSpent: false))
    }

    /// The error of a header that the second copy can replace.
    private func damage() -> VaultError? {
        do {
            _ = try store.read()
            return nil
        } catch {
            switch error {
            case .damaged(layout.header, _), .headerMissing: return error
            default: return nil
            }
        }
    }

    /// Makes the second copy the same as the header again. Only under the header's lock.
    ///
    /// - Returns: nil if it is the same.
    func restoreCopy(of header: VaultHeader) -> Restoration? {
        let outcome: Restoration.Outcome
        switch store.problem(ofCopyBeside: header) {
        case nil: return nil
        case .unsafe(let error), .foreign(let error): outcome = .left(error)
        case .outdated, .damaged:
            do {
                try VaultFiles.write(header.bytes, to: layout.headerCopy)
                outcome = .copyRenewed
            } catch {
                outcome = .left(error)
            }
        }
        return Restoration(account: nil, file: layout.headerCopy, outcome: outcome)
    }
}
