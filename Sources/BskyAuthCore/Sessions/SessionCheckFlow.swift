internal import ATPJSON
package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoVault
package import ATProtoXRPC

/// Checks whether sessions work. Only their servers know that, because a revoked session looks normal in the vault.
package struct SessionCheckFlow: Sendable {
    /// The result for one account.
    package struct Finding: Sendable {
        package let account: Account
        package let verdict: Verdict
    }

    package enum Verdict: Sendable {
        /// The server confirmed that the session belongs to this account.
        case works
        /// The server keeps an inactive copy of the account, or none, and the account's DID names this server now.
        case moved(to: Origin)
        /// The server named another account or no account.
        case otherAccount
        /// The server does not have the account, or only a deactivated copy, and where the account is now.
        case inactive(XRPCError, MoveFinder.Finding)
        /// The server refused the session or failed.
        case refused(XRPCError)
        /// The server gave no answer.
        case failed(any KnownError)
    }

    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Asks the servers of several accounts at once (``ConcurrentJobs``). A token is refreshed only if a call would
    /// refresh it.
    ///
    /// - Parameter report: receives every finding when it is ready, one at a time.
    /// - Returns: the findings in the order of the accounts.
    package func check(
        _ accounts: [Account], jobs: Int, lockTimeout: Duration, report: (Finding) -> Void
    ) async throws -> [Finding] {
        try await ConcurrentJobs.run(
            accounts, jobs: jobs, until: environment.criticalSection, servers: { .init(own: $0.pds) },
            work: { Finding(account: $0, verdict: try await verdict(on: $0, lockTimeout)) }, report: report)
    }

    private func verdict(on account: Account, _ lockTimeout: Duration) async throws -> Verdict {
        do {
            let response = try await CallFlow(environment.context, as: account.id).send(
                XRPCRequest(.query, .getSession), lockTimeout: lockTimeout)
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            guard (200..<300).contains(response.status) else {
                let error = XRPCError(
                    status: response.status, headerFields: response.headerFields, body: body)
                guard error.saysAccountIsNotActive else { return .refused(error) }
                return .inactive(error, await find(account))
            }
            // The answer may have a DID document, whose other members don't matter here.
            let answer = try? JSONParser.parse(body, leniency: .halfSurrogates)
            guard answer?["did"]?.string == account.did.description else { return .otherAccount }
            // A session of a deactivated account can ask this, and hardly anything else.
            if answer?["active"]?.bool == false, let server = await find(account).newServer {
                return .moved(to: server)
            }
            if let handle = answer?["handle"]?.string, handle != account.handle?.description {
                await followHandle(of: account)
            }
            return .works
        } catch let error as any KnownError {
            return .failed(error)
        }
    }

    private func find(_ account: Account) async -> MoveFinder.Finding {
        let session = try? environment.accounts.session(account.id)
        return await MoveFinder(environment.network).find(
            account, issuer: session?.credential.oauth?.issuer)
    }

    /// Notes a new handle, if the account's DID document and the handle confirm each other. The server alone is not
    /// believed.
    ///
    /// A new PDS is left to a refresh, which verifies its issuer.
    private func followHandle(of account: Account) async {
        do {
            let identity = try await environment.network.identities.resolve(
                .did(account.did), freshness: .now)
            if let failure = identity.handleFailure { throw failure }
            guard identity.pds == account.pds, let lock = try environment.accounts.tryLock(account.id)
            else { return }
            try await environment.follow(identity, of: account, under: lock)
        } catch let error {
            environment.network.note("the new handle of \(account.name) was not noted", error)
        }
    }

    /// The size limit of a response in bytes. A response may contain a DID document.
    private static let longestAnswer = 1 << 20
}
