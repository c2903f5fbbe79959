import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A PLC directory, an authorization server and a PDS in one process, for offline work and tests.
public struct SandboxNetwork: Sendable {
    private let configuration: SandboxConfiguration
    private let sandbox: Sandbox
    private let logger: Logger

    /// Prepares a network; throws when an account can't be made.
    public init(_ configuration: SandboxConfiguration, logger: Logger? = nil) throws {
        self.configuration = configuration
        self.logger = logger ?? Logger(label: "bskyauth-sandbox", factory: { _ in SwiftLogNoOpLogHandler() })
        sandbox = try Sandbox(configuration)
    }

    /// Serves until the task is cancelled, or SIGTERM or SIGINT arrives when `handlesSignals`.
    ///
    /// `onListening` is called once with the network's URL, when every listener is bound.
    public func run(
        handlesSignals: Bool = false,
        onListening: @escaping @Sendable (String) async -> Void
    ) async throws {
        let listeners = Listener.all(configuration)
        let waiting = Mutex<(left: Int, url: String)>((listeners.count, ""))
        let front = try await front(of: listeners)
        defer { front?.stop() }
        let services = try listeners.enumerated().map { index, listener in
            let address = front?.address(index) ?? .hostname(configuration.host, port: listener.port)
            let publicPort = front?.ports[index]
            return try HTTPServerBuilder.http1().buildServer(
                configuration: ServerConfiguration(address: address, serverName: nil),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: logger,
                responder: { request, writer, _ in
                    try await sandbox.respond(to: request, writer: writer, on: listener)
                },
                onServerRunning: { channel in
                    let url = self.url(port: publicPort ?? channel.localAddress?.port ?? listener.port)
                    learn(url, for: listener)
                    let ready: String? = waiting.withLock { waiting in
                        waiting.left -= 1
                        if listener.isMain { waiting.url = url }
                        return waiting.left == 0 ? waiting.url : nil
                    }
                    if let ready { await onListening(ready) }
                }
            )
        }
        var group = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
            logger: logger
        )
        // A client that reads slowly must not keep the process alive.
        group.maximumGracefulShutdownDuration = .seconds(2)
        try await ServiceGroup(configuration: group).run()
    }

    private func front(of listeners: [Listener]) async throws -> TLSFront? {
        guard let tls = configuration.tls else { return nil }
        return try await TLSFront.start(tls, host: configuration.host, ports: listeners.map(\.port))
    }

    private func url(port: Int) -> String {
        "\(configuration.scheme)://\(SandboxConfiguration.urlHost(configuration.host)):\(port)"
    }

    /// A role's origin is the URL of its own listener. Without one it is the URL of the main listener.
    private func learn(_ url: String, for listener: Listener) {
        for role in listener.roles where !listener.isMain || configuration.rolePorts[role] == nil {
            sandbox.origins.learn(url, for: role)
        }
    }
}
