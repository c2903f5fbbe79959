internal import NIOCore
internal import NIOHTTP1

/// One connection with at most one request and one answer.
///
/// ``LoopbackServer`` makes the answer to a redirect and writes it to the channel as a ``RedirectReply``. So a client
/// that closes its connection does not end that work.
final class RedirectConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = RedirectReply
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waiting
        case answering
        case answered
    }

    private let rules: RedirectRules
    private let limits: Limits
    private let table: ConnectionTable
    /// Passes a request on; false if the server is shutting down.
    private let handOn: (RedirectRequest, any Channel) -> Bool
    private var state = State.waiting
    private var deadline: Scheduled<Void>?

    init(
        rules: RedirectRules, limits: Limits, table: ConnectionTable,
        handOn: @escaping (RedirectRequest, any Channel) -> Bool
    ) {
        self.rules = rules
        self.limits = limits
        self.table = table
        self.handOn = handOn
    }

    func channelActive(context: ChannelHandlerContext) {
        table.admit(context.channel)
        close(context, in: limits.requestTime)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        table.remove(context.channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .waiting = state, case .head(let head) = unwrapInboundIn(data) else { return }
        switch rules.verdict(on: head) {
        case .refuse(let status): refuse(status, context)
        case .answer(let request):
            deadline?.cancel()
            state = .answering
            table.keep(context.channel)
            if !handOn(request, context.channel) { refuse(503, context) }
        }
    }

    /// The client sent something other than HTTP, or exceeded a limit of the parser.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .waiting where error is HTTPParserError: refuse(400, context)
        case .waiting: context.close(promise: nil)
        // What follows the request does not change its answer.
        case .answering, .answered: break
        }
    }

    /// The client has closed its sending side. Only a connection with a pending answer stays open.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, state != .answering { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state != .answered else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        state = .answered
        let reply = unwrapOutboundIn(data)
        context.write(wrapOutboundOut(.head(reply.responseHead)), promise: nil)
        if !reply.html.isEmpty {
            let body = context.channel.allocator.buffer(bytes: reply.html)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        // Closing at once with unread bytes of the client would reset the connection, and the answer could be lost
        // (RFC 9112 §9.6).
        close(context, in: limits.lingerTime)
        let channel = context.channel
        let end = promise ?? context.eventLoop.makePromise(of: Void.self)
        end.futureResult.whenSuccess { channel.close(mode: .output, promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: end)
    }

    private func refuse(_ status: Int, _ context: ChannelHandlerContext) {
        write(context: context, data: NIOAny(RedirectReply.refusal(status)), promise: nil)
        context.flush()
    }

    private func close(_ context: ChannelHandlerContext, in time: Duration) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
    }
}
