internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Receives the redirect of an authorization on a port of this machine (RFC 8252 §7.3; protocol:L14, L15).
///
/// It listens only on 127.0.0.1, and passes on only a `GET` of its path with its own address as `Host`. It refuses
/// everything else: icons, scans, other names for this machine. Call ``shutdown()`` before releasing it.
package final class LoopbackServer: Sendable {
    /// The port it listens on, part of the redirect URI.
    package let port: Int

    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let feed: AsyncStream<Arrival>.Continuation
    private let answers: Task<Void, Never>
    private let ending = Mutex<Task<Void, Never>?>(nil)

    private struct Arrival: Sendable {
        let request: RedirectRequest
        let channel: any Channel
    }

    /// Listens on the first free port of a range, lowest first.
    ///
    /// - Parameters:
    ///   - ports: the range; nil lets the system choose a port.
    ///   - path: the path of the redirect URI, compared byte for byte.
    ///   - respond: makes the page for a redirect. It may be called for two at once, may take long, and runs to its end
    ///     even if the browser closes the connection.
    package static func bind(
        ports: ClosedRange<Int>?, path: String,
        respond: @escaping @Sendable (RedirectRequest) async -> RedirectReply
    ) async throws(LoopbackServerError) -> LoopbackServer {
        try await bind(ports: ports, path: path, limits: Limits(), respond: respond)
    }

    static func bind(
        ports: ClosedRange<Int>?, path: String, limits: Limits,
        respond: @escaping @Sendable (RedirectRequest) async -> RedirectReply
    ) async throws(LoopbackServerError) -> LoopbackServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (arrivals, feed) = AsyncStream.makeStream(of: Arrival.self)
        do throws(LoopbackServerError) {
            let listener = try await listen(on: group, ports: ports, path: path, limits: limits, feed: feed)
            guard let port = listener.localAddress?.port else { throw .cannotBind(errno: nil) }
            return LoopbackServer(
                port: port, group: group, listener: listener, feed: feed,
                answers: Task { await answer(arrivals, respond) })
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private init(
        port: Int, group: MultiThreadedEventLoopGroup, listener: any Channel,
        feed: AsyncStream<Arrival>.Continuation, answers: Task<Void, Never>
    ) {
        self.port = port
        self.group = group
        self.listener = listener
        self.feed = feed
        self.answers = answers
    }

    /// Stops listening, waits until the pending answers are sent, then closes all connections.
    ///
    /// It may be called more than once. `respond` must not call it, because it would wait for itself.
    package func shutdown() async {
        let end = ending.withLock { ending in
            if let ending { return ending }
            let task = Task { await close() }
            ending = task
            return task
        }
        await end.value
    }

    /// Runs once, because a closed event loop never answers.
    private func close() async {
        try? await listener.close()
        feed.finish()
        await answers.value
        try? await group.shutdownGracefully()
    }

    private static func answer(
        _ arrivals: AsyncStream<Arrival>,
        _ respond: @escaping @Sendable (RedirectRequest) async -> RedirectReply
    ) async {
        await withDiscardingTaskGroup { group in
            for await arrival in arrivals {
                group.addTask {
                    let reply = await respond(arrival.request)
                    // If the browser has closed the connection, nothing is left to do.
                    try? await arrival.channel.writeAndFlush(reply)
                }
            }
        }
    }

    private static func listen(
        on group: MultiThreadedEventLoopGroup, ports: ClosedRange<Int>?, path: String, limits: Limits,
        feed: AsyncStream<Arrival>.Continuation
    ) async throws(LoopbackServerError) -> any Channel {
        let table = ConnectionTable(capacity: limits.connections, countsKept: true)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            // Otherwise the system refuses the port for a minute after its last connection (TIME_WAIT).
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A client may close its sending side and still wait for the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let port = channel.localAddress?.port ?? 0
                    try channel.pipeline.syncOperations.addHandlers([
                        HTTPResponseEncoder(),
                        ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: Limits.decoder)),
                        RedirectConnection(
                            rules: RedirectRules(path: path, port: port), limits: limits, table: table
                        ) { request, channel in
                            if case .enqueued = feed.yield(Arrival(request: request, channel: channel)) {
                                true
                            } else {
                                false
                            }
                        },
                    ])
                }
            }
        guard ports.map({ (1...65535).contains($0.lowerBound) && $0.upperBound <= 65535 }) ?? true else {
            throw .cannotBind(errno: EINVAL)
        }
        for port in ports ?? 0...0 {
            do {
                return try await bootstrap.bind(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                continue
            } catch {
                throw .cannotBind(errno: (error as? IOError)?.errnoCode)
            }
        }
        throw .portBusy(ports ?? 0...0)
    }
}

/// A redirect that a browser followed to this server.
package struct RedirectRequest: Sendable, Hashable {
    /// The unchanged text after `?` in the request target; empty if there is none. It may hold a secret.
    package let query: String

    package init(query: String) {
        self.query = query
    }
}

/// Why the server could not listen.
package enum LoopbackServerError: Error, Sendable, Hashable {
    /// Every port of the range is in use.
    case portBusy(ClosedRange<Int>)
    /// Another program listens on the socket.
    case socketBusy
    /// The system refused, with its error number if it gave one.
    case cannotBind(errno: Int32?)
}
