internal import NIOCore
internal import NIOHTTP1

/// Finds requests that servers could understand in different ways, so that a proxy and this server would not agree where one ends
/// (RFC 9112 §3.2, §6.1, §6.3, §11.2).
///
/// Such a head goes on without its fields, and nothing that follows on the connection does. So the request has no `Host`, and ``Guard``
/// refuses it after the answers to the requests before it. ``ConnectionRules`` then ends the connection, because the request has no
/// end.
final class HeadRules: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        guard case .head(var head) = unwrapInboundIn(data), !Self.isClear(head) else {
            return context.fireChannelRead(data)
        }
        isRefused = true
        head.headers = [:]
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What follows a refused head need not be HTTP. The request has its answer already.
        if !isRefused { context.fireErrorCaught(error) }
    }

    /// Whether a head has one `Host`, and an end of the request that is certain.
    private static func isClear(_ head: HTTPRequestHead) -> Bool {
        guard head.version == .http1_1 || head.version == .http1_0, head.headers["host"].count == 1 else {
            return false
        }
        let codings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        guard codings.isEmpty else {
            return head.version == .http1_1 && lengths.isEmpty
                && codings.map { $0.lowercased() } == ["chunked"]
        }
        return lengths.isEmpty
            || lengths.count == 1 && lengths[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

@available(*, unavailable)
extension HeadRules: Sendable {}
