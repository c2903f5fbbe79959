internal import Platform

/// The second copy of the header, without which one damaged file would lose every account.
extension CredentialVault {
    /// Writes the second copy of a header that is durable. That one counts, so it is no error where the copy can't be
    /// written: ``check()`` tells that it is missing.
    static func copyHeader(_ bytes: [UInt8], _ layout: VaultLayout) {
        do throws(VaultError) { try VaultFiles.write(bytes, to: layout.headerCopy) } catch {}
    }

    /// The second copy; nil where there is none.
    static func headerCopy(_ layout: VaultLayout) throws(VaultError) -> [UInt8]? {
        guard let bytes = try VaultFiles.read(layout.headerCopy) else { return nil }
        return try VaultHeader(bytes, file: layout.headerCopy).bytes
    }

    /// What is wrong with the second copy beside a header that is whole.
    ///
    /// - Returns: nil where it is the same. A copy of another vault key is not to be replaced: the header may be an old one
    ///   that somebody put back, and the copy all that opens the accounts.
    static func problem(ofCopyBeside header: VaultHeader, _ layout: VaultLayout) -> HeaderCopyProblem? {
        do throws(VaultError) {
            guard let bytes = try headerCopy(layout) else { return .outdated }
            if bytes == header.bytes { return nil }
            let copy = try VaultHeader(bytes, file: layout.headerCopy)
            guard copy.id == header.id, copy.keyID == header.keyID else {
                return .foreign(
                    .damaged(file: layout.headerCopy, reason: VaultError.otherKeyInCopy))
            }
            return .outdated
        } catch {
            switch error {
            case .damaged: return .damaged(error)
            case .newerFormat: return .foreign(error)
            default: return .unsafe(error)
            }
        }
    }

    /// Makes the second copy of the header again where it is not as the header.
    ///
    /// - Returns: nil where it is.
    package func restoreHeaderCopy() throws(VaultError) -> Restoration? {
        let lock = try lockHeader()
        let header = try Self.header(layout)
        guard header.isAuthentic(keys) else { throw VaultHeader.inauthentic(layout.header) }
        let outcome: Restoration.Outcome
        switch Self.problem(ofCopyBeside: header, layout) {
        case nil: return nil
        case .unsafe(let error), .foreign(let error): outcome = .left(error)
        case .outdated, .damaged:
            do throws(VaultError) {
                try VaultFiles.write(header.bytes, to: layout.headerCopy)
                outcome = .copyRenewed
            } catch {
                outcome = .left(error)
            }
        }
        _ = consume lock
        return Restoration(account: nil, file: layout.headerCopy, outcome: outcome)
    }

    /// Puts the second copy of the header in its place where it is damaged or gone.
    ///
    /// Takes no key. Whether somebody with the vault's key wrote the copy is found out by who opens the vault with it.
    ///
    /// - Returns: nil where nothing is wrong with the header, or something else than that.
    package static func restoreHeader(at home: String) throws(VaultError) -> Restoration? {
        let layout = VaultLayout(home: home)
        guard let wrong = damage(of: layout) else { return nil }
        try VaultFiles.verifyDirectory(home)
        try VaultFiles.createDirectory(layout.locks)
        let lock = try lockHeader(layout)
        guard damage(of: layout) != nil else { return nil }
        let copy: [UInt8]?
        do throws(VaultError) { copy = try headerCopy(layout) } catch { copy = nil }
        guard let copy else { return Restoration(account: nil, file: layout.header, outcome: .left(wrong)) }
        try VaultFiles.write(copy, to: layout.header)
        _ = consume lock
        return Restoration(account: nil, file: layout.header, outcome: .restored(mayBeSpent: false))
    }

    /// What is wrong with the header where its second copy is what helps.
    private static func damage(of layout: VaultLayout) -> VaultError? {
        do throws(VaultError) {
            _ = try header(layout)
            return nil
        } catch {
            switch error {
            case .damaged(layout.header, _), .headerMissing: return error
            default: return nil
            }
        }
    }
}

/// Why a second copy of the header is not as the header.
enum HeaderCopyProblem {
    /// It is missing, or an earlier one of the same key.
    case outdated
    case damaged(VaultError)
    /// Others may read or write it, or it is none of ours.
    case unsafe(VaultError)
    /// It is of another vault key, or a newer program's, and never written over.
    case foreign(VaultError)
}
