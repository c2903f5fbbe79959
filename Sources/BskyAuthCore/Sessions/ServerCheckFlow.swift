internal import ATPJSON
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

        init(_ account: Account, _ session: Session) {
            switch session.credential {
            case .oauth(let credential): self = .oauth(pds: account.pds, issuer: credential.issuer)
            case .password(let service): self = .password(service: service)
            }
        }

        /// The issuer of the session; nil for an app password.
        var issuer: Issuer? { if case .oauth(_, let issuer) = self { issuer } else { nil } }

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
        /// Where the only account of the finding has moved to.
        package var move: Move?
    }

    /// An account whose DID names another server than that of its session.
    package struct Move: Sendable {
        package let login: AccountLogin
        package let server: Origin
    }

    private let network: NetworkEnvironment
    private let criticalSection: any CriticalSection

    package init(_ network: NetworkEnvironment, until criticalSection: any CriticalSection) {
        self.network = network
        self.criticalSection = criticalSection
    }

    /// Asks the servers of several accounts, each once, several at a time (``ConcurrentJobs``).
    package func reach(_ accounts: [(account: Account, session: Session)]) async throws -> [Finding] {
        var order: [Servers] = []
        var users: [Servers: [AccountLogin]] = [:]
        for (account, session) in accounts {
            let servers = Servers(account, session)
            if users[servers] == nil { order.append(servers) }
            users[servers, default: []].append(AccountLogin(account, session))
        }
        let found = users
        return try await ConcurrentJobs.run(
            order, jobs: Self.jobs, until: criticalSection, servers: { .init(own: $0.first) }
        ) { servers in
            let logins = found[servers] ?? []
            let result = try await ask(servers, for: logins.map(\.account))
            return await divided(logins, servers, result)
        }.flatMap(\.self)
    }

    /// A finding for each account that has moved away from these servers, and one for the others.
    private func divided(
        _ logins: [AccountLogin], _ servers: Servers, _ result: Result<Void, any Error>
    ) async -> [Finding] {
        var findings: [Finding] = []
        var others: [Account] = []
        for (number, login) in logins.enumerated() {
            if number < Self.mostQuestions, let server = await newServer(of: login, servers, result) {
                findings.append(
                    Finding(
                        servers: servers, accounts: [login.account], result: result,
                        move: Move(login: login, server: server)))
            } else {
                others.append(login.account)
            }
        }
        if !others.isEmpty { findings.append(Finding(servers: servers, accounts: others, result: result)) }
        return findings
    }

    /// The server that an account has moved to; nil if nothing suggests a move.
    private func newServer(
        of login: AccountLogin, _ servers: Servers, _ result: Result<Void, any Error>
    ) async -> Origin? {
        switch result {
        case .success: guard await isInactive(login.account, at: servers.first) else { return nil }
        case .failure(let error):
            guard (error as? any KnownError)?.suggestsMove == true else { return nil }
        }
        return await MoveFinder(network).find(login.account, issuer: servers.issuer).newServer
    }

    /// Whether a server says in public that it has no active copy of an account. An answer that can't be had says nothing.
    private func isInactive(_ account: Account, at server: Origin) async -> Bool {
        var parameters = FormParameters()
        parameters.append("did", account.did.description)
        let request = XRPCRequest(.query, .getRepoStatus, parameters: parameters)
        do {
            let answer = try await network.transport.fetch(
                request.transportRequest(to: server, timeouts: .metadata), limit: Self.longestAnswer)
            guard answer.status != 200 else {
                return try JSONParser.parse(answer.body, leniency: .halfSurrogates)["active"]?.bool == false
            }
            let error = XRPCError(
                status: answer.status, headerFields: answer.headerFields, body: answer.body)
            return error.saysAccountIsNotActive || error.name == "RepoNotFound"
        } catch let error {
            network.note("\(server.host) does not say whether it has \(account.name)", error)
            return false
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
    /// For so many accounts of one server it is found out whether they have moved.
    private static let mostQuestions = 8
    /// The size limit of a response in bytes.
    private static let longestAnswer = 65536
}
