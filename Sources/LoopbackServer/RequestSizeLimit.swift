internal import NIOCore

/// Counts what a client sends, ahead of the parser, and lets nothing through past the limit.
final class RequestSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let wasWithinLimit = count <= Limits.request
        count += unwrapInboundIn(data).readableBytes
        if count <= Limits.request {
            context.fireChannelRead(data)
        } else if wasWithinLimit {
            context.fireErrorCaught(RequestTooLarge())
        }
    }
}

/// A client sent more than any redirect has.
struct RequestTooLarge: Error {}
