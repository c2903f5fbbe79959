internal import ATPNetworking
internal import ATPPlatform
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The limits of the connections of a ``RequestServer``.
struct RequestLimits: Sendable {
    /// The most connections at once that have not shown a secret. A crowd of programs that start together has to fit.
    var untrusted = 128
    /// The most connections at once that are kept for their next request.
    var kept = 256
    /// How long an unknown connection may last.
    var untrustedTime = Duration.seconds(10)
    /// The time from an answer to the next request of the same connection.
    var idleTime = Duration.seconds(300)
    /// The time from an answer until the end of a connection whose request still arrives.
    var lingerTime = Duration.seconds(2)
    /// The most bytes of bodies on the disk.
    var spool = Int64(4) << 30
}

/// An HTTP/1.1 server for the programs of this machine, on 127.0.0.1 or on a Unix socket. Call ``shutdown()`` before
/// releasing it.
package final class RequestServer: Sendable {
    /// Where a server listens.
    package enum Place: Sendable, Hashable {
        /// A port of 127.0.0.1; 0 for any free one.
        case port(Int)
        /// A Unix socket. Its folder must not be open to others.
        case socket(String)
    }

    /// The port that it listens on; nil for a socket.
    package let port: Int?
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let feed: AsyncStream<Arrival>.Continuation
    private let serving: Task<Void, Never>

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private struct Arrival: Sendable {
        let connection: Connection
        let trust: ConnectionTrust
    }

    /// Listens, and answers requests until ``shutdown()``.
    ///
    /// - Parameter answer: answers a request. It is cancelled at the shutdown. If the program closes the connection while its
    ///   request still arrives, the body fails.
    package static func bind(
        _ place: Place, answer: @escaping @Sendable (IncomingRequest) async -> OutgoingAnswer
    ) async throws(LoopbackServerError) -> RequestServer {
        try await bind(place, limits: RequestLimits(), answer: answer)
    }

    static func bind(
        _ place: Place, limits: RequestLimits,
        answer: @escaping @Sendable (IncomingRequest) async -> OutgoingAnswer
    ) async throws(LoopbackServerError) -> RequestServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (arrivals, feed) = AsyncStream.makeStream(of: Arrival.self)
        do throws(LoopbackServerError) {
            let listener = try await listen(on: group, place, limits, feed)
            let port = listener.localAddress?.port
            let room = SpoolRoom(bytes: limits.spool)
            let serving = Task {
                await serve(arrivals) { arrival in
                    RequestConnection(
                        channel: arrival.connection.channel, port: port, limits: limits, room: room,
                        trust: arrival.trust, answer: answer)
                }
            }
            return RequestServer(port: port, group: group, listener: listener, feed: feed, serving: serving)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private init(
        port: Int?, group: MultiThreadedEventLoopGroup, listener: any Channel,
        feed: AsyncStream<Arrival>.Continuation, serving: Task<Void, Never>
    ) {
        self.port = port
        self.group = group
        self.listener = listener
        self.feed = feed
        self.serving = serving
    }

    /// Stops listening and closes all connections. Waits for work that can't be cancelled.
    package func shutdown() async {
        // It fails only if it is closed already.
        try? await listener.close()
        feed.finish()
        await serving.value
        try? await group.shutdownGracefully()
    }

    /// Serves connections until their stream ends, and then cancels what is left of them.
    private static func serve(
        _ arrivals: AsyncStream<Arrival>, _ connection: @escaping @Sendable (Arrival) -> RequestConnection
    ) async {
        await withDiscardingTaskGroup { group in
            for await arrival in arrivals {
                group.addTask { await serve(arrival, connection(arrival)) }
            }
            group.cancelAll()
        }
    }

    private static func serve(_ arrival: Arrival, _ connection: RequestConnection?) async {
        // If a connection breaks off, no program hears of the error.
        try? await arrival.connection.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            try await connection?.serve(&parts, outbound)
        }
    }

    private static func listen(
        on group: MultiThreadedEventLoopGroup, _ place: Place, _ limits: RequestLimits,
        _ feed: AsyncStream<Arrival>.Continuation
    ) async throws(LoopbackServerError) -> any Channel {
        let table = ConnectionTable(capacity: limits.untrusted, countsKept: false, mostKept: limits.kept)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A program may close its sending side and still wait for the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { accept($0, limits, table, feed) }
        do {
            switch place {
            case .port(let port):
                return try await bootstrap.bind(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
            case .socket(let path):
                let listener = try await bootstrap.bind(unixDomainSocketPath: path).get()
                // Its folder keeps others out meanwhile.
                guard unsafe chmod(path, 0o600) == 0 else {
                    let reason = errno
                    try? await listener.close()
                    throw LoopbackServerError.cannotBind(errno: reason)
                }
                return listener
            }
        } catch let error as LoopbackServerError {
            throw error
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            if case .port(let port) = place { throw .portBusy(port...port) }
            throw .socketBusy
        } catch {
            throw .cannotBind(errno: (error as? IOError)?.errnoCode)
        }
    }

    private static func accept(
        _ channel: any Channel, _ limits: RequestLimits, _ table: ConnectionTable,
        _ feed: AsyncStream<Arrival>.Continuation
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let trust = ConnectionTrust()
            try channel.pipeline.syncOperations.addHandlers([
                HTTPResponseEncoder(configuration: unframed),
                ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: Limits.decoder)),
                HTTPServerProtocolErrorHandler(),
                ConnectionGuard(limits: limits, table: table, trust: trust),
            ])
            let connection = try Connection(wrappingChannelSynchronously: channel)
            let arrival = Arrival(connection: connection, trust: trust)
            // At the shutdown the server takes no more connections, and this one has to be closed in order.
            if case .terminated = feed.yield(arrival) { Task { await serve(arrival, nil) } }
        }
    }

    /// The answers have their own framing: an answer to HEAD has a length and no body.
    private static var unframed: HTTPResponseEncoder.Configuration {
        var configuration = HTTPResponseEncoder.Configuration()
        configuration.automaticallySetFramingHeaders = false
        return configuration
    }
}
