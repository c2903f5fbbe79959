package import ATPNetworking
internal import ATProtoIdentity
package import ATProtoSessions
internal import ATProtoXRPC
internal import HTTPTypes
package import OAuthDPoP

/// Checks whether the servers of sessions can be reached and are still the right ones. The requests are public and
/// carry no token.
package struct ServerCheckFlow: Sendable {
    /// The servers of one session or of several.
    package enum Servers: Sendable, Hashable {
        case oauth(pds: Origin, issuer: Issuer)
        /// The service of an app password.
        case password(service: Origin)

        init(_ profile: Account, _ session: Session) {
            switch session.credential {
            case .oauth(let credential): self = .oauth(pds: profile.pds, issuer: credential.issuer)
            case .password(let service): self = .password(service: service)
            }
        }

        /// The server that is asked first.
        package var first: Origin {
            switch self {
            case .oauth(let pds, _): pds
            case .password(let service): service
            }
        }
    }

    /// The result for the servers of some accounts.
    package struct Finding: Sendable {
        package let servers: Servers
        package let accounts: [Account]
        package let result: Result<Void, any Error>
    }

    private let network: NetworkEnvironment
    private let criticalSection: any CriticalSection

    package init(_ network: NetworkEnvironment, until criticalSection: any CriticalSection) {
        self.network = network
        self.criticalSection = criticalSection
    }

    /// Asks the servers of several accounts, each once, several at a time (``ConcurrentJobs``).
    package func reach(_ accounts: [(profile: Account, session: Session)]) async throws -> [Finding] {
        var order: [Servers] = []
        var users: [Servers: [Account]] = [:]
        for (profile, session) in accounts {
            let servers = Servers(profile, session)
            if users[servers] == nil { order.append(servers) }
            users[servers, default: []].append(profile)
        }
        let found = users
        return try await ConcurrentJobs.run(
            order, jobs: Self.jobs, until: criticalSection, servers: { .init(own: $0.first) }
        ) { servers in
            let accounts = found[servers] ?? []
            return Finding(
                servers: servers, accounts: accounts, result: try await ask(servers, for: accounts))
        }
    }

    private func ask(_ servers: Servers, for accounts: [Account]) async throws -> Result<
        Void, any Error
    > {
        do {
            for account in accounts { try account.checkNetwork(network.policy) }
            switch servers {
            case .oauth(let pds, let issuer):
                let metadata = try await IssuerVerifier(network).metadata(ofPDS: pds)
                guard metadata.issuer == issuer else {
                    throw SessionFailure.verification(
                        .issuerMismatch(
                            account: accounts.first?.did.description ?? pds.host,
                            expected: issuer.description, found: metadata.issuer.description))
                }
            case .password(let service): try await ask(service)
            }
            return .success(())
        } catch let error as any KnownError {
            return .failure(error)
        }
    }

    /// Asks a service to describe itself. Any response except a server error counts as reachable.
    private func ask(_ service: Origin) async throws {
        let url = HTTPURL(origin: service, path: "/xrpc/com.atproto.server.describeServer")
        let answer: FetchedResponse
        answer = try await network.transport.fetch(
            TransportRequest(method: .get, url: url, timeouts: .metadata), limit: Self.longestAnswer)
        guard answer.status < 500 else {
            throw CoreError.xrpc(
                XRPCError(status: answer.status, headerFields: answer.headerFields, body: answer.body), nil)
        }
    }

    private static let jobs = 8
    /// The size limit of a response in bytes.
    private static let longestAnswer = 65536
}
