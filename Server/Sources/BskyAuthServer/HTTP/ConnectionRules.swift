internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Keeps the answers of a connection apart, and ends a connection whose client keeps it without use: it sends no request, sends a body
/// that is not wanted, or does not read its answer.
///
/// NIO writes a last chunk behind each answer without a length. After HEAD it would be the begin of the next answer. Hummingbird
/// reads the rest of a body that was not wanted, even if it has no end.
final class ConnectionRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private struct Request {
        let isHead: Bool
        var isWhole = false
    }

    /// How long a client may go on sending after its answer. A connection that ends at once takes the answer with it if the
    /// client has not read it yet.
    private static let lingerTime = TimeAmount.seconds(2)

    /// How long a new connection may be without the head of a request.
    private static let headTime = TimeAmount.seconds(10)
    /// How long an answer may wait until the client has read some of it.
    private static let readTime = TimeAmount.seconds(30)

    private let connections: Connections
    /// Closes the connection if nothing happens before.
    private var deadline: Scheduled<Void>?

    /// The requests without a whole answer.
    private var requests: [Request] = []
    /// Whether the answer that is being sent, or was sent, is the last one.
    private var isLastAnswer = false

    init(_ connections: Connections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            let codec = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self).handler
            try pipeline.addHandler(HeadRules(), position: .before(codec))
        } catch {
            // Requests would come without the rules.
            return context.close(promise: nil)
        }
        close(context, in: Self.headTime)
        wait(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        connections.work(for: ObjectIdentifier(self))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLastAnswer && requests.isEmpty { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if requests.isEmpty { deadline?.cancel() }
            requests.append(Request(isHead: head.method == .head))
        case .body: break
        case .end:
            if !requests.isEmpty { requests[requests.count - 1].isWhole = true }
            connections.work(for: ObjectIdentifier(self))
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // A connection that has had its last answer has a deadline already.
        if !isLastAnswer || !requests.isEmpty {
            if context.channel.isWritable { deadline?.cancel() } else { close(context, in: Self.readTime) }
        }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let request = requests.first else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if !request.isWhole {
                isLastAnswer = true
                head.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            requests.removeFirst()
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenSuccess { self.wait(context) }
            context.write(request.isHead ? wrapOutboundOut(.body(ByteBuffer())) : data, promise: sent)
            if isLastAnswer { close(context, in: Self.lingerTime) }
        }
    }

    /// The client has the turn, unless its next request is here already.
    private func wait(_ context: ChannelHandlerContext) {
        if let request = requests.first, request.isWhole { return }
        connections.wait(ObjectIdentifier(self)) { [channel = context.channel] in channel.close(promise: nil)
        }
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        deadline?.cancel()
        deadline = context.eventLoop.scheduleTask(in: time) { [channel = context.channel] in
            channel.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ConnectionRules: Sendable {}
