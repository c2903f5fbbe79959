internal import ATProtoGateway
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals

/// The server as it runs.
package struct BackendServer {
    private let application: Application<RouterResponder<ServerContext>>
    private let upkeep: Upkeep
    /// The methods and addresses that it answers.
    let routes: [Router<ServerContext>.RouteDescription]

    /// Opens what the server keeps, and makes what is missing.
    ///
    /// - Parameter say: tells the operator what was made, and where the server listens.
    package init(_ configuration: Configuration, say: @escaping @Sendable (String) -> Void) async throws {
        let parts = try await ServerParts(configuration, say: say)
        let (log, rows, now) = (parts.log, parts.rows, parts.now)
        let metrics = parts.metrics
        metrics.set(.start, to: now().timeIntervalSince1970.rounded())
        let backendRoutes = BackendRoutes(
            configuration: configuration,
            logins: Logins(
                rows: rows, ring: parts.ring, client: parts.logins, book: parts.sessions.book,
                accounts: parts.sessions.accounts, now: now),
            sessions: parts.sessions,
            admission: Admission(configuration.limits, now: now),
            clients: Clients(trusting: configuration.trustedProxies, metrics: metrics, log: log),
            client: parts.client, gateway: Gateway(),
            uploads: Uploads(
                in: configuration.state, longest: configuration.limits.uploadMegabytes << 20,
                most: configuration.limits.uploadsAtOnce),
            calls: Calls(configuration.limits),
            rows: rows,
            assertions: try configuration.assertions.map {
                try Assertions($0, configuration, keys: parts.clientKeys, rows: rows, log: log, now: now)
            },
            gate: configuration.sites.map { settings in
                SiteGate(
                    settings: settings,
                    sessions: Sessions(
                        book: parts.sessions.book, ring: parts.ring, accounts: parts.sessions.accounts,
                        lastUse: parts.lastUse, idle: settings.ttl, ttl: settings.ttl, log: log, now: now),
                    handles: VerifiedHandles(parts.sparingIdentities, log: log, now: now))
            },
            metadata: parts.metadata, clientKeys: parts.publicKeys, audit: parts.audit, metrics: metrics)

        upkeep = Upkeep(parts: parts)
        let router = backendRoutes.router()
        routes = router.routes
        var quiet = log
        quiet.logLevel = .warning
        let connections = Connections(configuration.limits.connections)
        application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder {
                ConnectionThreads(base: HTTP1Channel(responder: $0, configuration: Self.http(connections)))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port),
                availableConnectionsDelegate: Connections.Delegate(connections: connections)),
            services: try Self.admin(configuration, metrics, quiet),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? configuration.listen.port
                let address = ListenAddress(host: configuration.listen.host, port: port)
                say("listening at http://\(address) for \(configuration.baseURL)")
                if !ServiceManager.ready() { say("the service manager of NOTIFY_SOCKET can't be told so.") }
            },
            logger: quiet)
    }

    private static func http(_ connections: Connections) -> HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionRules(connections)], idleTimeout: .seconds(60),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))
    }

    /// How long requests that have begun may go on after SIGTERM. A refresh that was sent must end in this time
    /// (`Timeouts.rotation`): its answer has the new refresh token.
    static let graceTime = Duration.seconds(100)

    /// Serves until SIGTERM or SIGINT. Requests that have begun are answered, if that does not take too long.
    package func run() async throws {
        // The last one is told first: a sweep begins nothing more, while requests are still answered.
        try await Self.group([application, upkeep], graceTime: Self.graceTime, logger: application.logger)
            .run()
    }

    /// Runs services until SIGTERM or SIGINT. They are cancelled if they don't end in time.
    static func group(_ services: [any Service], graceTime: Duration, logger: Logger) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services.map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = graceTime
        return ServiceGroup(configuration: configuration)
    }

    /// The second listener, for the operator.
    private static func admin(
        _ configuration: Configuration, _ metrics: Metrics, _ log: Logger
    ) throws -> [any Service] {
        guard let address = configuration.adminListen else { return [] }
        let router = Router(context: ServerContext.self)
        router.get("/metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
        }
        if case .socket(let path) = address { try removeSocket(path) }
        return [
            Application(
                responder: router.buildResponder(),
                configuration: ApplicationConfiguration(address: address.bindAddress), logger: log)
        ]
    }

    /// Removes the socket of a process that has ended. Refuses to remove anything else.
    private static func removeSocket(_ path: String) throws {
        let type: FileAttributeType?
        do {
            type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile { return }
        guard type == .typeSocket else { throw NotASocket(path: path) }
        try FileManager.default.removeItem(atPath: path)
    }

    private struct NotASocket: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is no socket: choose another path for `admin_listen`" }
    }
}

extension AdminAddress {
    fileprivate var bindAddress: BindAddress {
        switch self {
        case .loopback(let address): .hostname(address.host, port: address.port)
        case .socket(let path): .unixDomainSocket(path: path)
        }
    }
}
