internal import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials
package import OAuthDPoP

/// The refresh of several accounts at once.
package struct RefreshAllFlow: Sendable {
    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// The result for one of the accounts.
    package struct Attempt: Sendable {
        package let account: Account
        /// The scope that was granted before; nil if the session was unreadable.
        package let scope: Scope?
        package let result: Result<(outcome: RefreshOutcome, session: Session), any Error>
    }

    /// Refreshes accounts (``ConcurrentJobs``).
    ///
    /// - Parameter report: receives every attempt when it ends, one at a time.
    /// - Returns: the attempts in the order of the accounts.
    package func refresh(
        _ accounts: [Account], options: RefreshFlow.Options, jobs: Int, lockTimeout: Duration,
        report: (Attempt) -> Void
    ) async throws -> [Attempt] {
        let issuers = try issuers(of: accounts)
        return try await ConcurrentJobs.run(
            accounts, jobs: jobs, until: environment.criticalSection,
            servers: { .init(shared: issuers[$0.id], own: $0.pds) },
            work: { try await attempt($0, options, lockTimeout) }, report: report)
    }

    /// The issuers that refreshes wait for in addition to the PDSs. A slow issuer of many PDSs could otherwise take all
    /// places.
    private func issuers(of accounts: [Account]) throws -> [UUID: Origin] {
        guard Set(accounts.map(\.pds)).count > 1 else { return [:] }
        var issuers: [UUID: Origin] = [:]
        for account in accounts where !environment.criticalSection.isInterrupted {
            do {
                let session = try environment.accounts.session(account.id)
                if case .oauth(let credential) = session.credential {
                    issuers[account.id] = credential.issuer.url.origin
                }
            } catch _ {
                // The attempt reports it.
                continue
            }
        }
        return issuers
    }

    private func attempt(_ account: Account, _ options: RefreshFlow.Options, _ lockTimeout: Duration)
        async throws
        -> Attempt
    {
        // If the session is unreadable, the refresh reports it.
        let scope = (try? environment.accounts.session(account.id))?.scope
        do {
            let (outcome, session) = try await RefreshFlow(environment.context).refresh(
                account.id, options: options, lockTimeout: lockTimeout)
            return Attempt(account: account, scope: scope, result: .success((outcome, session)))
        } catch let error as any KnownError {
            return Attempt(account: account, scope: scope, result: .failure(error))
        }
    }
}
