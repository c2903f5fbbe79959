package import ATProtoSessions
package import ATProtoVault
internal import FoundationEssentials

/// Finishes what this machine has begun in a shared vault, so that no other machine waits for it.
package struct FlushFlow: Sendable {
    private let environment: SessionEnvironment
    private let accounts: SharedAccounts

    /// nil if the vault is not shared.
    package init?(_ environment: SessionEnvironment) {
        guard let accounts = environment.accounts.vault.sharedAccounts else { return nil }
        self.environment = environment
        self.accounts = accounts
    }

    /// What was done for an account.
    package enum Outcome: String, Sendable {
        /// The store has what this machine had.
        case stored
        /// It was not known what became of a refresh, so the session was refreshed.
        case refreshed
        /// Another machine had logged out of the account, so the newer session that was only here was ended too.
        case ended
    }

    /// The result for one account.
    package struct Item: Sendable {
        package let account: Account
        package let result: Result<Outcome, any Error>
    }

    /// Brings this machine and the store up to date, then finishes every account that has something unfinished here.
    ///
    /// - Parameter report: receives every result when it is there.
    /// - Returns: what differed between the store and this machine.
    package func run(
        lockTimeout: Duration, report: (Item) -> Void
    ) async throws -> SharedAccounts.Changes {
        var unfinished: [Account] = []
        for id in try environment.accounts.vault.accounts() where try accounts.isUnfinished(id) {
            unfinished.append(try environment.accounts.account(id))
        }
        let changes = try await accounts.synchronize()
        for account in unfinished {
            do {
                let outcome = try await finish(account.id, lockTimeout)
                report(Item(account: account, result: .success(outcome)))
            } catch let error as any KnownError {
                report(Item(account: account, result: .failure(error)))
            }
        }
        return changes
    }

    private func finish(_ id: UUID, _ lockTimeout: Duration) async throws -> Outcome {
        do {
            try await catchUp(id, lockTimeout)
        } catch VaultError.noSuchAccount {
            guard try environment.accounts.vault.hasAccount(id) else { return .ended }
            _ = try await LogoutFlow(environment).logout(id, isStrict: true, lockTimeout: lockTimeout)
            return .ended
        }
        guard try accounts.isUnfinished(id) else { return .stored }
        _ = try await RefreshFlow(environment.context).refresh(
            id, options: RefreshFlow.Options(isForced: true), lockTimeout: lockTimeout)
        return .refreshed
    }

    private func catchUp(_ id: UUID, _ lockTimeout: Duration) async throws {
        let lock = try await environment.accounts.lock(id, timeout: lockTimeout)
        try await accounts.catchUp(id, under: lock)
    }
}
