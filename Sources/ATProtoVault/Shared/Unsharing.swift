internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials

/// Taking a vault out of its store, so that it is a vault of this machine alone again.
extension CredentialVault {
    /// Ends the sharing. All accounts stay on this machine, and only here. After an interruption, the next call does the rest.
    ///
    /// Other machines keep copies, but no longer refresh them: the store says who ended the sharing, and has no account any more.
    ///
    /// - Throws: ``VaultError/claimed(_:)`` while another machine refreshes an account, and ``VaultError/sharingRefused(_:)`` while
    ///   an account here is unfinished. The vault is still shared then.
    package func unshare() async throws(VaultError) {
        guard let accounts = sharedAccounts else { throw .sharingRefused(.isNotShared) }
        try await accounts.close()
        try await accounts.takeAll()
        try await accounts.takeClients()
        try await accounts.removeClients()
        try await accounts.removeMachines()
        try await accounts.removeLogins()
        try leaveStore()
    }

    /// Ends the sharing on this machine without its store, because the store never returns.
    ///
    /// If another machine still uses its copy of an account, the server sees a refresh token twice, and ends the session.
    ///
    /// - Throws: ``VaultError/sharingRefused(_:)`` if the store says that another machine has the accounts.
    package func abandonStore() async throws(VaultError) {
        guard let accounts = sharedAccounts else { throw .sharingRefused(.isNotShared) }
        do { try await accounts.requireStore() } catch {
            if case .sharingRefused(.unshared) = error { throw error }
        }
        // The store may never have had these logins, and no other copy of their tokens is left.
        for login in try keptLogins() where login.write != nil {
            _ = try keepAgain(
                KeptLogin(id: login.id, profile: login.profile, session: login.session), at: Date())
        }
        try leaveStore()
    }

    private func leaveStore() throws(VaultError) {
        try header.change { content throws(VaultError) in content.shared = nil }
    }
}

extension SharedAccounts {
    /// Says in the store that the sharing has ended, if nothing is unfinished.
    fileprivate func close() async throws(VaultError) {
        let revision: Revision
        do { revision = try await storeHeader().revision } catch {
            guard case .sharingRefused(.unsharing) = error else { throw error }
            return
        }
        let changes = try await synchronize()
        if let id = changes.behind.first { throw .storeWentBack(id) }
        if let repair = changes.repair { throw .repairing(repair) }
        for (_, record) in try await rows() {
            if let claim = record.claim, !claim.isForgotten, claim.machine.id != store.machine.id {
                throw .claimed(claim)
            }
        }
        var unfinished: [UUID] = changes.busy
        for id in try vault.accounts() where try isUnfinished(id) {
            unfinished.append(id)
        }
        guard unfinished.isEmpty else { throw .sharingRefused(.unfinished(unfinished)) }
        let closed = try SharedHeader(unsharedBy: store.machine, of: vault.id, in: files)
        guard try await store.write(closed, if: .unchanged(revision)) else { throw .sharingChanged }
    }

    /// Takes every account out of the store. A machine that adds one meanwhile gives it to this machine.
    fileprivate func takeAll() async throws(VaultError) {
        while true {
            let rows = try await rows()
            if rows.isEmpty { return }
            for (id, record) in rows {
                if record.account == nil {
                    try await deleteTombstone(of: id)
                } else if try vault.hasAccount(id) {
                    try await take(id, under: try await vault.lock(id, timeout: Self.longestTurn))
                } else {
                    _ = try addCopy(of: record, as: id)
                }
            }
        }
    }

    private func deleteTombstone(of id: UUID) async throws(VaultError) {
        guard let read = try await store.read(id, files), read.record.account == nil else { return }
        do { _ = try await store.rows.delete(SharedRecord.key(id), if: .unchanged(read.revision)) } catch {
            throw .store(error)
        }
    }

    private func take(_ id: UUID, under lock: consuming AccountLock) async throws(VaultError) {
        try await SharedAccount(id, in: vault, store).takeOut(under: lock)
    }

    /// How long to wait for a refresh of an account on this machine: longer than a refresh can take.
    static let longestTurn = Turn.longest
}
