internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import BskyAuthLoopback
internal import HTTPTypes
internal import Synchronization

/// A gateway with a server in front of it, for as long as a command runs.
struct ProgramProxy: Sendable {
    let gateway: ProgramGateway
    let accounts: [ProgramAccount]
    private let notices: RunNotices
    private let server: RequestServer
    /// Whether the vault is still open to this process.
    private let isOpen: @Sendable () -> Bool

    /// Where programs find the proxy.
    var address: RunAddress { RunAddress(port: server.port) }
    /// The address for programs; nil if the server listens on a socket.
    var url: String? { address.url }

    /// Serves the accounts as long as the work lasts. Each gets a secret of its own, which is worthless after that.
    static func run<Value>(
        at place: RequestServer.Place, for accounts: [Account], in environment: SessionEnvironment,
        _ options: AccessOptions, _ limits: AccessLimits, log: RequestLog?, _ context: CommandContext,
        _ work: (ProgramProxy) async throws -> Value
    ) async throws -> Value {
        let service = try await start(
            at: place, for: accounts, in: environment, options, limits, log: log, context)
        do {
            let value = try await work(service)
            await service.server.shutdown()
            return value
        } catch {
            await service.server.shutdown()
            throw error
        }
    }

    private static func start(
        at place: RequestServer.Place, for accounts: [Account], in environment: SessionEnvironment,
        _ options: AccessOptions, _ limits: AccessLimits, log: RequestLog?, _ context: CommandContext
    ) async throws -> ProgramProxy {
        let users = try accounts.map { account in try ProgramAccount(account, in: environment) }
        for account in users { try await account.checkSession(waiting: context.lockTimeout) }
        let vault = environment.accounts.vault
        let mark = options.keepUnlocked ? nil : vault.unlockMark()
        let isOpen: @Sendable () -> Bool = { mark.map { vault.has($0) } ?? true }
        let notices = RunNotices(context.console)
        let gateway = try ProgramGateway(
            users, through: Gateway(limits: limits, longestWait: context.lockTimeout),
            now: { context.now }, isOpen: isOpen, reports: notices.reports)
        do throws(LoopbackServerError) {
            let server = try await RequestServer.bind(place) { request in
                await answer(request, gateway, log, context.console)
            }
            return ProgramProxy(
                gateway: gateway, accounts: users, notices: notices, server: server, isOpen: isOpen)
        } catch {
            throw Self.failure(error, place)
        }
    }

    /// Why a proxy ends.
    enum Ending {
        case signal
        /// The vault was locked, or got other keys.
        case closed
    }

    /// Waits until a held signal ends this process, or the vault is closed.
    func watch() async -> Ending {
        while !SignalHold.endsProcess {
            if !isOpen() { return .closed }
            // Polling needs no thread. A cancelled wait ends with the signal that caused it.
            do { try await Task.sleep(for: .milliseconds(200)) } catch { return .signal }
        }
        return .signal
    }

    /// That the vault was closed. Its message is not repeated if a request has caused it already.
    var closed: Failure { notices.isFirst(.vaultClosed) ? .vaultClosed : .vaultClosed.told }

    private static func answer(
        _ request: IncomingRequest, _ gateway: ProgramGateway, _ log: RequestLog?, _ console: Console
    ) async -> OutgoingAnswer {
        let answer = await gateway.answer(
            GatewayRequest(
                method: request.method, target: request.target, headerFields: request.headerFields,
                body: request.body), at: RunAddress(port: request.port), secretShown: request.secretShown)
        let (reply, method) = (answer.reply, request.method)
        console.detail(
            "proxy: \(method.rawValue) \(reply.nsid ?? "no XRPC method"): \(reply.response.status)")
        return OutgoingAnswer(
            response: log?.logging(reply, to: method) ?? reply.response,
            endsConnection: answer.endsConnection)
    }

    /// The next step if the proxy can't listen at a place. Ports below 1024 are for the administrator.
    private static func otherPlace(_ place: RequestServer.Place) -> String {
        switch place {
        // The system gave no port of its own, so it may have no loopback address.
        case .port(0): "ip address show dev lo"
        case .port: "use any free port:  --listen 127.0.0.1:0"
        case .socket: "name a path in a directory that you can write to:  --socket PATH"
        }
    }

    private static func failure(_ error: LoopbackServerError, _ place: RequestServer.Place) -> Failure {
        let name =
            switch place {
            case .port(let port): port == 0 ? "127.0.0.1" : "127.0.0.1:\(port)"
            case .socket(let path): path.escapedForTerminal
            }
        switch error {
        case .portBusy:
            return Failure(
                .busy, "port_busy", "another program listens on \(name)",
                hint: "use any free port:  --listen 127.0.0.1:0")
        case .socketBusy: return ProxySocket.busy(name)
        case .cannotBind(let errno):
            let reason =
                errno.map { SystemError(errno: $0, operation: "bind").reason } ?? "the system refuses"
            return Failure(
                .failure, "cannot_listen", "can't listen on \(name): \(reason)", hint: otherPlace(place))
        }
    }
}

/// Tells the user what happens while programs run. Each message is printed once.
private final class RunNotices: Sendable {
    private let console: Console
    private let told = Mutex<Set<String>>([])

    init(_ console: Console) {
        self.console = console
    }

    var reports: ProgramGateway.Reports {
        ProgramGateway.Reports(
            words: { ErrorPresenter.failure(for: $0).message },
            report: { [self] in tell(ErrorPresenter.failure(for: $0)) },
            reportClosed: { [self] in tell(.vaultClosed) })
    }

    /// Notes that a message is printed; false if it was printed before.
    func isFirst(_ failure: Failure) -> Bool { told.withLock { $0.insert(failure.message).inserted } }

    private func tell(_ failure: Failure) {
        if isFirst(failure) { console.report(failure) }
    }
}

extension Failure {
    fileprivate static let vaultClosed = Failure(
        .vaultLocked, "vault_closed",
        "the vault was locked, or its keys were changed, so programs can't act as an account any more",
        hint: "start the same command again; it asks for a key if it needs one")
}
