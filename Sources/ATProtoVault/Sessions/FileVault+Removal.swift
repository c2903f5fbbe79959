internal import ATPCryptography
public import ATProtoSessions
public import FoundationEssentials

/// Removing accounts.
extension FileVault {
    /// Removes an account with its session.
    public func remove(_ id: UUID) async throws(StoreError) { try await remove(id) { _, _ in true } }

    /// Removes an account whose session is first ended at its server. Everything that can fail here is tried before that.
    public func remove(
        _ id: UUID,
        ending end:
            @Sendable (
                Result<Session, StoreError>, _ keep: (Session) async throws(StoreError) -> Void
            ) async -> Bool
    ) async throws(StoreError) {
        try await Self.blocking { () async throws(VaultError) in
            defer { rules.forget(id) }
            guard let shared = vault.sharedAccounts else {
                guard try vault.hasAccount(id) else { return }
                let lock = try await vault.lock(id, timeout: Self.longestTurn)
                _ = try await remove(id, ending: end, under: lock)
                return
            }
            guard try await here(id, in: shared) else { return }
            let lock = try await vault.lock(id, timeout: Self.longestTurn)
            guard try await claim(id, in: shared, under: lock) else { return }
            do throws(VaultError) {
                if try await remove(id, ending: end, under: lock) { return }
            } catch {
                await endClaim(of: id, in: shared, under: lock)
                throw error
            }
            await endClaim(of: id, in: shared, under: lock)
        }
    }

    /// - Returns: whether the account is removed.
    private func remove(
        _ id: UUID,
        ending end:
            @Sendable (
                Result<Session, StoreError>, _ keep: (Session) async throws(StoreError) -> Void
            ) async -> Bool,
        under lock: borrowing AccountLock
    ) async throws(VaultError) -> Bool {
        let removal = try vault.reserveRemoval(of: id, names: try vault.account(id).names, under: lock)
        let session: Result<Session, StoreError>
        do { session = .success(try vault.session(of: id)) } catch {
            session = .failure(StoreError(vault: error))
        }
        let isEnded = await end(session) { session async throws(StoreError) in
            do throws(VaultError) { try await rules.replaceTokens(by: session, of: id, under: lock) } catch {
                throw StoreError(vault: error)
            }
        }
        guard isEnded else { return false }
        try await vault.sharedAccounts?.remove(id, under: lock)
        do { _ = try removal.finish(under: lock) } catch { throw error.cause }
        return true
    }

    /// Keeps other machines from spending the token of an account that is removed next.
    ///
    /// - Returns: false if another machine has removed the account, and nothing of it is left here. A session that is only here
    ///   still has a copy.
    private func claim(
        _ id: UUID, in shared: SharedAccounts, under lock: borrowing AccountLock
    ) async throws(VaultError) -> Bool {
        do throws(VaultError) {
            try await shared.beginRemoval(of: id, under: lock, waiting: Self.longestTurn)
            return true
        } catch {
            guard case .noSuchAccount = error else { throw error }
            return try vault.hasAccount(id)
        }
    }

    /// Ends the claim on an account that stays. If the store can't be reached, the next process here ends it.
    private func endClaim(
        of id: UUID, in shared: SharedAccounts, under lock: borrowing AccountLock
    ) async {
        do { try await shared.catchUp(id, under: lock) } catch {}
    }
}
