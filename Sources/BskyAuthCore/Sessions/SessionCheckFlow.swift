package import ATProto
internal import JSON
internal import Networking

/// Whether sessions really work, which only their servers know: a session that was revoked looks like any other
/// in the vault.
package struct SessionCheckFlow: Sendable {
    /// What became of one account.
    package struct Finding: Sendable {
        package let profile: AccountProfile
        package let verdict: Verdict
    }

    package enum Verdict: Sendable {
        /// The server said whose session it is, and it is this account's.
        case works
        /// The server named another account, or none.
        case otherAccount
        /// The server did not take the session, or failed.
        case refused(XRPCError)
        /// It did not come to an answer.
        case failed(any KnownError)
    }

    private let environment: SessionEnvironment

    package init(_ environment: SessionEnvironment) {
        self.environment = environment
    }

    /// Asks the servers of several accounts at once (``ConcurrentJobs``). A token is refreshed where a call would
    /// refresh it, and no other.
    ///
    /// - Parameter report: is given every finding as it is made, one at a time.
    /// - Returns: the findings in the order of the accounts.
    package func check(
        _ profiles: [AccountProfile], jobs: Int, lockTimeout: Duration, report: (Finding) -> Void
    ) async throws -> [Finding] {
        try await ConcurrentJobs.run(
            profiles, jobs: jobs, until: environment.criticalSection, servers: { .init(own: $0.pds) },
            work: { Finding(profile: $0, verdict: try await verdict(on: $0, lockTimeout)) }, report: report)
    }

    private func verdict(on profile: AccountProfile, _ lockTimeout: Duration) async throws -> Verdict {
        do {
            let response = try await CallFlow(environment, as: profile.id).send(
                XRPCRequest(.query, .getSession), lockTimeout: lockTimeout)
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            guard (200..<300).contains(response.status) else {
                return .refused(
                    XRPCError(status: response.status, headerFields: response.headerFields, body: body))
            }
            let did = (try? JSONParser.parse(body))?["did"]?.string
            return did == profile.did.description ? .works : .otherAccount
        } catch let error as any KnownError {
            return .failed(error)
        }
    }

    /// In bytes; a DID document may be part of it.
    private static let longestAnswer = 1 << 20
}
