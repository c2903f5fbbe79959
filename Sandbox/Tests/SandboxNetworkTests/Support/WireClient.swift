import NIOCore
import NIOHTTP1
import NIOPosix

/// A plain HTTP/1.1 client: one connection for each request, no redirects, no cookies.
enum WireClient {
    /// The connection ended before the answer was complete.
    struct ConnectionEnded: Error {
        let bytesOfBody: Int
    }

    /// - Parameters:
    ///   - length: the announced length of the body, if it is not that of `body`.
    ///   - ending: whether the client closes its side after less than it has announced. If not, it sends no more and waits.
    static func send(
        _ method: String,
        _ url: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil,
        promising length: Int? = nil,
        ending: Bool = true
    ) async throws -> WireAnswer {
        let (host, port, target) = try parts(of: url)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    var encoding = HTTPRequestEncoder.Configuration()
                    encoding.automaticallySetFramingHeaders = false
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(encoderConfiguration: encoding)
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        var fields = HTTPHeaders(headers)
        if !fields.contains(name: "host") { fields.add(name: "host", value: "\(host):\(port)") }
        if let body { fields.add(name: "content-length", value: String(length ?? body.count)) }
        fields.add(name: "connection", value: "close")
        let head = HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: method), uri: target, headers: fields)
        return try await channel.executeThenClose { inbound, outbound in
            var parts = [HTTPClientRequestPart.head(head)]
            if let body { parts.append(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
            // A server may answer, and close, before it has read everything.
            try? await outbound.write(contentsOf: length == nil ? parts + [.end(nil)] : parts)
            if length != nil, ending { outbound.finish() }
            return try await answer(from: inbound)
        }
    }

    private static func answer(
        from inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> WireAnswer {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        do {
            for try await part in inbound {
                switch part {
                case .head(let received): head = received
                case .body(let piece): body.append(contentsOf: piece.readableBytesView)
                case .end:
                    guard let head else { break }
                    return WireAnswer(
                        status: Int(head.status.code),
                        headers: head.headers.map { (name: $0.name, value: $0.value) },
                        body: body
                    )
                }
            }
        } catch {
            throw ConnectionEnded(bytesOfBody: body.count)
        }
        throw ConnectionEnded(bytesOfBody: body.count)
    }

    private static func parts(of url: String) throws -> (host: String, port: Int, target: String) {
        struct BadURL: Error {}
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        let authority = rest.prefix { $0 != "/" }
        let target = rest.dropFirst(authority.count)
        let pieces = authority.split(separator: ":")
        guard pieces.count == 2, let port = Int(pieces[1]) else { throw BadURL() }
        return (String(pieces[0]), port, target.isEmpty ? "/" : String(target))
    }
}
