/// Repairs the header from its second copy, and the copy from the header.
struct HeaderRestorer {
    let store: HeaderStore

    private var layout: VaultLayout { store.layout }

    /// Replaces a damaged or missing header with its second copy.
    ///
    /// This needs no key. Opening the vault afterwards shows whether the copy is authentic.
    ///
    /// - Returns: nil if the header is undamaged, or if the copy is unusable too.
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

    /// Writes the second copy again if it differs from the header. The caller holds the header's lock.
    ///
    /// - Returns: nil if the copy and the header are equal.
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
