internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Networking
internal import Platform

/// One connection of a program: its requests one after the other, each with its answer.
struct RequestConnection: Sendable {
    typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let channel: any Channel
    /// The only `Host` that is answered; nil for any.
    let host: String?
    let limits: RequestLimits
    let room: SpoolRoom
    let trust: ConnectionTrust
    let answer: @Sendable (IncomingRequest) async -> OutgoingAnswer

    @concurrent func serve(_ parts: inout Parts, _ writer: Writer) async throws {
        while let part = try await parts.next() {
            guard case .head(let head) = part else { continue }
            guard try await serve(head, &parts, writer) else { return }
        }
    }

    /// Answers a request.
    ///
    /// - Returns: whether the connection may have another request.
    @concurrent private func serve(
        _ head: HTTPRequestHead, _ parts: inout Parts, _ writer: Writer
    ) async throws -> Bool {
        guard let known = RequestHead(head, host: host) else {
            try await writer.refuse(400)
            return false
        }
        func reply(with body: RequestBody) -> RequestReply {
            let request = IncomingRequest(
                method: known.method, target: head.uri, headerFields: known.fields, body: body,
                vouch: trust.give)
            return RequestReply(
                request: request, isOld: head.version == .http1_0, keepsAlive: head.isKeepAlive, trust: trust,
                writer: writer)
        }
        guard known.framing != .none else {
            while let part = try await parts.next() { if case .end = part { break } }
            return try await reply(with: .none).send(answer)
        }
        let length: Int64? = if case .length(let length) = known.framing { length } else { nil }
        let spool = ArrivingSpool(in: room)
        let reply = reply(with: .stream(IncomingBody(length: length, spool: spool)))
        if known.expectsContinue {
            try await writer.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        }
        async let isReusable = send(reply, spool)
        let isWhole = await receive(&parts, into: spool)
        return try await isReusable && isWhole
    }

    /// Answers a request whose body still arrives. If the answer does not need the rest of the body, the connection soon
    /// ends.
    private func send(_ reply: RequestReply, _ spool: ArrivingSpool) async throws -> Bool {
        let isReusable: Bool
        do {
            isReusable = try await reply.send { request in
                let answer = await answer(request)
                // Nothing but the place for the body was missing.
                return spool.problem == .full ? .insufficientStorage : answer
            }
        } catch {
            spool.fail(.brokenOff)
            try await channel.close()
            throw error
        }
        if !spool.hasEnded {
            spool.discard()
            let channel = channel
            channel.eventLoop.scheduleTask(in: TimeAmount(limits.lingerTime)) { channel.close(promise: nil) }
        }
        return isReusable
    }

    /// Receives the body of a request.
    ///
    /// - Returns: whether it came to its end.
    @concurrent private func receive(_ parts: inout Parts, into spool: ArrivingSpool) async -> Bool {
        do {
            while let part = try await parts.next() {
                switch part {
                case .head: break
                case .body(let bytes): try spool.append(Array(buffer: bytes))
                case .end:
                    spool.finish()
                    return true
                }
            }
            spool.fail(.brokenOff)
        } catch let problem as ArrivingSpool.Problem {
            spool.fail(problem)
        } catch {
            spool.fail(.brokenOff)
        }
        return false
    }
}

/// The answer to one request, as it is written.
struct RequestReply: Sendable {
    let request: IncomingRequest
    /// Whether the request came by HTTP/1.0.
    let isOld: Bool
    let keepsAlive: Bool
    let trust: ConnectionTrust
    let writer: RequestConnection.Writer

    /// Writes the answer.
    ///
    /// - Returns: whether the connection may have another request.
    /// - Throws: if the answer broke off; then the connection must end before it does.
    func send(_ answer: (IncomingRequest) async -> OutgoingAnswer) async throws -> Bool {
        let answer = await answer(request)
        let response = answer.response
        var head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status))
        for field in response.headerFields where !Self.framing.contains(field.name) {
            head.headers.add(name: field.name.rawName, value: field.value)
        }
        let hasBody = request.method != .head && response.status != 204 && response.status != 304
        let length = response.headerFields[.contentLength]
        if let length, response.status != 204 { head.headers.add(name: "Content-Length", value: length) }
        if hasBody, length == nil, !isOld { head.headers.add(name: "Transfer-Encoding", value: "chunked") }
        let mayStay =
            keepsAlive && trust.isGiven && !answer.endsConnection && !(isOld && hasBody && length == nil)
        if !mayStay { head.headers.add(name: "Connection", value: "close") }
        try await write(head, hasBody ? response.body : nil)
        return mayStay
    }

    private static let framing: Set<HTTPField.Name?> = [
        .connection, .contentLength, .transferEncoding, .trailer, .upgrade, HTTPField.Name("keep-alive"),
    ]

    private func write(_ head: HTTPResponseHead, _ body: ResponseBody?) async throws {
        guard let body else {
            return try await writer.write(contentsOf: [.head(head), .end(nil)])
        }
        do {
            // The head waits for the first bytes, so that a short answer is one packet.
            var parts: [HTTPServerResponsePart] = [.head(head)]
            for try await bytes in body {
                parts.append(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
                try await writer.write(contentsOf: parts)
                parts = []
            }
            try await writer.write(contentsOf: parts + [.end(nil)])
        } catch {
            body.cancel()
            throw error
        }
    }
}

extension OutgoingAnswer {
    /// That a body is too long to be kept.
    fileprivate static let insufficientStorage = OutgoingAnswer(
        response: TransportResponse(
            status: 507, headerFields: [.contentLength: "0"], body: ResponseBody(CollectedBody([]))),
        endsConnection: true)
}

extension RequestConnection.Writer {
    /// Answers without a body, and announces the end of the connection.
    func refuse(_ status: Int) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
        head.headers = ["Content-Length": "0", "Connection": "close"]
        try await write(contentsOf: [.head(head), .end(nil)])
    }
}
