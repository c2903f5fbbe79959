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
            guard try await vault.place.isThere(id) else { return }
            let lock = try await vault.lock(id, timeout: Self.longestTurn)
            guard try await rules.beginRemoval(of: id, under: lock, waiting: Self.longestTurn) else { return }
            do throws(VaultError) {
                if try await remove(id, ending: end, under: lock) { return }
            } catch {
                await rules.giveUpRemoval(of: id, under: lock)
                throw error
            }
            await rules.giveUpRemoval(of: id, under: lock)
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
        try await rules.removeElsewhere(id, under: lock)
        do { _ = try removal.finish(under: lock) } catch { throw error.cause }
        return true
    }
}
