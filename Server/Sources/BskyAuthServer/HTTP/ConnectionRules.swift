internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Keeps the answers of a connection apart, and ends a connection whose client still sends a body that is not wanted.
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

    /// The requests without a whole answer.
    private var requests: [Request] = []
    /// Whether the answer that is being sent, or was sent, is the last one.
    private var isLastAnswer = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLastAnswer && requests.isEmpty { return }
        switch unwrapInboundIn(data) {
        case .head(let head): requests.append(Request(isHead: head.method == .head))
        case .body: break
        case .end: if !requests.isEmpty { requests[requests.count - 1].isWhole = true }
        }
        context.fireChannelRead(data)
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
            context.write(request.isHead ? wrapOutboundOut(.body(ByteBuffer())) : data, promise: promise)
            guard isLastAnswer else { return }
            let channel = context.channel
            context.eventLoop.scheduleTask(in: Self.lingerTime) { channel.close(promise: nil) }
        }
    }
}

@available(*, unavailable)
extension ConnectionRules: Sendable {}
