internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Closes a connection that takes too long, or that has not shown a secret in time.
///
/// Until it has shown a secret, a connection has a fixed time in all. After that, only the time between an answer and
/// the next request is limited.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: RequestLimits
    private let table: ConnectionTable
    private let trust: ConnectionTrust
    private var deadline: Scheduled<Void>?
    /// The requests that came and are not answered yet.
    private var pending = 0

    init(limits: RequestLimits, table: ConnectionTable, trust: ConnectionTrust) {
        self.limits = limits
        self.table = table
        self.trust = trust
    }

    func channelActive(context: ChannelHandlerContext) {
        let (channel, table) = (context.channel, table)
        table.admit(channel)
        let untrusted = close(channel, in: limits.untrustedTime)
        trust.whenGiven {
            untrusted.cancel()
            return table.keep(channel)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        trust.end()
        deadline?.cancel()
        table.remove(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            pending += 1
            deadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pending -= 1
            deadline?.cancel()
            if pending == 0 { deadline = close(context.channel, in: limits.idleTime) }
        }
        context.write(data, promise: promise)
    }

    private func close(_ channel: any Channel, in time: Duration) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
    }
}

/// Whether a connection has shown a secret. Any thread may say so.
final class ConnectionTrust: Sendable {
    private struct State {
        var mayStay = false
        var action: (@Sendable () -> Bool)?
    }

    private let state = Mutex(State())

    /// Whether the connection may have another request.
    var mayStay: Bool { state.withLock { $0.mayStay } }

    /// - Parameter action: is called once, and says whether the connection may have another request.
    func whenGiven(_ action: @escaping @Sendable () -> Bool) {
        state.withLock { $0.action = action }
    }

    func give() {
        let action = state.withLock { state in
            defer { state.action = nil }
            return state.action
        }
        guard let mayStay = action?() else { return }
        state.withLock { $0.mayStay = mayStay }
    }

    func end() {
        state.withLock { $0.action = nil }
    }
}
