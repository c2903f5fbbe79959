import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The three servers with their shared state, the journal, the faults and the control endpoints.
struct Sandbox: Sendable {
    /// Thrown to close a connection without an answer.
    struct ConnectionDropped: Error {}

    let origins: Origins
    let clock: SandboxClock
    let accounts: AccountRegistry
    let journal = Journal()
    let faults = FaultSet()
    private let authorizationServer: AuthorizationServer
    private let personalDataServer: PersonalDataServer
    private let directory: PLCDirectory
    private let service: ForeignService
    private let control: ControlEndpoints

    init(_ configuration: SandboxConfiguration) throws {
        let clock = SandboxClock()
        let accounts = AccountRegistry(clock: clock)
        let repositories = RepositoryStore(clock: clock, accounts: accounts)
        let origins = Origins(configuration.origins)
        let signer = AccessTokenSigner()
        let profile = configuration.profile
        let clients = ClientRegistry(
            clock: clock, rules: profile.clients,
            fetcher: configuration.clientDocuments.map { DocumentFetcher(settings: $0) })
        let state = AuthorizationState(
            clock: clock,
            profile: profile,
            raceWindow: configuration.raceWindow,
            accessTokenLifetime: configuration.accessTokenLifetime,
            issuer: { origins[.authorizationServer] }
        )
        let passwordTokens = PasswordTokenSigner()
        let passwordSessions = PasswordSessions(clock: clock, rules: profile.passwords)
        func verifier(_ rules: ProofRules) -> DPoPVerifier {
            let rotation = configuration.nonceRotation ?? profile.nonces.rotation
            let nonces = NonceSchedule(clock: clock, rotation: rotation, areUsed: profile.nonces.areUsed)
            return DPoPVerifier(clock: clock, nonces: nonces, rules: rules)
        }
        self.clock = clock
        self.accounts = accounts
        self.origins = origins
        directory = PLCDirectory(origins: origins, accounts: accounts)
        authorizationServer = AuthorizationServer(
            origins: origins,
            clock: clock,
            accounts: accounts,
            clients: clients,
            state: state,
            signer: signer,
            proofs: verifier(profile.proofsAtAuthorizationServer),
            assertions: ClientAssertionVerifier(clock: clock, rules: profile.assertions),
            approvesUnasked: configuration.approvesUnasked,
            profile: profile
        )
        personalDataServer = PersonalDataServer(
            origins: origins,
            accounts: accounts,
            access: ResourceAccess(
                origins: origins,
                clock: clock,
                state: state,
                signer: signer,
                proofs: verifier(profile.proofsAtPersonalDataServer),
                passwordTokens: passwordTokens,
                passwordSessions: passwordSessions,
                accounts: accounts,
                profile: profile
            ),
            passwordSessions: passwordSessions,
            repositories: repositories,
            directory: directory,
            limits: RateLimitWindow(clock: clock),
            blobLimit: configuration.blobLimit,
            profile: profile
        )
        service = ForeignService(
            origins: origins, clock: clock, accounts: accounts,
            used: ReplayMemory(clock: clock, lifetime: 3600))
        control = ControlEndpoints(
            origins: origins,
            journal: journal,
            faults: faults,
            clock: clock,
            accounts: accounts,
            clients: clients,
            state: state,
            passwordSessions: passwordSessions,
            repositories: repositories,
            defaultPassword: SandboxConfiguration.defaultPassword
        )
        for seed in configuration.accounts {
            try accounts.create(handle: seed.handle, password: seed.password)
            _ = accounts.update(seed.handle) {
                $0.appPasswords = seed.appPasswords.compactMap { AppPassword($0) }
            }
        }
    }

    /// Handles one request on a listener and writes the answer; throws to close the connection.
    func respond(to request: Request, writer: consuming ResponseWriter, on listener: Listener) async throws {
        let path = String((request.head.path ?? "/").prefix { $0 != "?" })
        let natural = Role(servingPath: path)
        let exchange = Exchange(role: listener.role(for: natural), request: request)
        if exchange.header("expect")?.lowercased() == "100-continue" {
            try await writer.writeInformationalHead(HTTPResponse(status: .continue))
        }
        var answer: Answer
        if path.hasPrefix("/_sandbox/") {
            answer = await control.answer(exchange)
        } else {
            let isServed = listener.serves(natural) && isAddressed(natural, in: exchange)
            answer = try await answerUnderFaults(exchange, isServed: isServed)
        }
        if answer.headers["date"] == nil { answer.headers["date"] = clock.httpDate }
        try await answer.write(to: writer, headOnly: exchange.method == "HEAD")
    }

    private func answerUnderFaults(_ exchange: Exchange, isServed: Bool) async throws -> Answer {
        let place = journal.begin()
        let arrived = clock.now
        let actions = faults.actions(for: exchange, grant: await grant(of: exchange))
        let names = actions.isEmpty ? nil : actions.map(\.name).joined(separator: ",")
        func record(status: Int?, error: String?) {
            let line = JournalLine.make(exchange, status: status, error: error, time: arrived, fault: names)
            journal.record(line, at: place)
        }
        try await wait(actions, .before)
        if actions.contains(where: { if case .drop(.before) = $0 { true } else { false } }) {
            record(status: nil, error: nil)
            throw ConnectionDropped()
        }
        var answer = isServed ? nil : Answer.notFound(exchange.method, exchange.path)
        for case .respond(let canned) in actions { answer = canned }
        var final: Answer
        if let answer { final = answer } else { final = await answered(exchange) }
        for action in actions { final.apply(action) }
        if actions.contains(where: { if case .drop(.after) = $0 { true } else { false } }) {
            record(status: nil, error: nil)
            throw ConnectionDropped()
        }
        record(status: final.status, error: JournalLine.error(in: final))
        try await wait(actions, .after)
        return final
    }

    /// Whether the request's host belongs to the role. An entryway and a PDS with different hosts do not answer
    /// for each other, even on one port. The directory's paths are unique, so its host does not matter.
    private func isAddressed(_ role: Role, in exchange: Exchange) -> Bool {
        guard role != .plcDirectory, let host = exchange.authority?.lowercased() else { return true }
        if origins.authority(of: role) == host { return true }
        return ![Role.authorizationServer, .personalDataServer].contains { origins.authority(of: $0) == host }
    }

    private func answered(_ exchange: Exchange) async -> Answer {
        switch exchange.role {
        case .authorizationServer: await authorizationServer.answer(exchange)
        case .personalDataServer: await personalDataServer.answer(exchange)
        case .plcDirectory: directory.answer(exchange)
        case .service: await service.answer(exchange)
        }
    }

    /// The `grant_type` of a token request, read early for faults that match on it.
    private func grant(of exchange: Exchange) async -> String? {
        guard faults.needsGrant, exchange.path == "/oauth/token", exchange.method == "POST",
            let bytes = try? await exchange.body(upTo: 102_400)
        else { return nil }
        return FormBody(urlencoded: String(decoding: bytes, as: UTF8.self))["grant_type"]
    }

    private func wait(_ actions: [Fault.Action], _ moment: Fault.Moment) async throws {
        for case .delay(let pause, moment) in actions { try await Task.sleep(for: pause) }
    }
}
