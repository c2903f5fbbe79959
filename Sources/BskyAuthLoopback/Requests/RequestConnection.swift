internal import ATPNetworking
internal import ATPPlatform
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// One connection of a program: its requests one after the other, each with its answer.
struct RequestConnection: Sendable {
    typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let channel: any Channel
    /// The port of 127.0.0.1, which the `Host` must name; nil for a socket, where any will do.
    let port: Int?
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
        let known: RequestHead
        do { known = try RequestHead(head, host: port.map { "127.0.0.1:\($0)" }) } catch {
            try await refuse(head, error, writer)
            try await dropBody(of: head, &parts)
            return false
        }
        func reply(with body: RequestBody) -> RequestReply {
            let request = IncomingRequest(
                method: known.method, target: head.uri, headerFields: known.fields, body: body,
                port: port, secretShown: trust.give)
            return RequestReply(
                request: request, isOld: head.version == .http1_0,
                keepsAlive: head.isKeepAlive && !known.wantsUpgrade, trust: trust, channel: channel,
                writer: writer)
        }
        guard known.framing != .none else {
            while let part = try await parts.next() { if case .end = part { break } }
            return try await reply(with: .none).send(answer, isRequestWhole: { true })
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

    /// Answers a head that is not understood, and ends the connection. Closing it drops what was not sent yet, so that is
    /// waited for.
    private func refuse(_ head: HTTPRequestHead, _ error: InvalidRequestHead, _ writer: Writer) async throws {
        let text = errorText("InvalidRequest", error.reason)
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(text.count)", "Connection": "close",
        ]
        var parts = [
            HTTPServerResponsePart.head(
                HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers))
        ]
        if head.method != .HEAD { parts.append(.body(.byteBuffer(ByteBuffer(bytes: text)))) }
        try await writer.write(contentsOf: parts)
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    }

    /// Reads what still comes of a refused request. A program that writes all of it before it reads would not see the answer
    /// otherwise.
    @concurrent private func dropBody(of head: HTTPRequestHead, _ parts: inout Parts) async throws {
        guard
            head.headers.contains(name: "Content-Length") || head.headers.contains(name: "Transfer-Encoding")
        else {
            return
        }
        let channel = channel
        channel.eventLoop.scheduleTask(in: TimeAmount(limits.lingerTime)) { channel.close(promise: nil) }
        while let part = try await parts.next() { if case .end = part { return } }
    }

    /// Answers a request whose body still arrives. If the answer does not need the rest of the body, the connection soon
    /// ends.
    private func send(_ reply: RequestReply, _ spool: ArrivingSpool) async throws -> Bool {
        let isReusable: Bool
        do {
            isReusable = try await reply.send(
                { request in
                    let answer = await answer(request)
                    // Nothing but the place for the body was missing.
                    return spool.problem.flatMap(OutgoingAnswer.init) ?? answer
                }, isRequestWhole: { spool.isComplete })
        } catch {
            spool.fail(.brokenOff)
            try await channel.close()
            throw error
        }
        if !spool.isComplete {
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
                case .body(let bytes): keep(Array(buffer: bytes), in: spool)
                case .end:
                    spool.finish()
                    return spool.isComplete
                }
            }
        } catch {
            // The connection broke.
        }
        spool.fail(.brokenOff)
        return false
    }

    /// Keeps bytes of a body. If there is no place for them, the rest still arrives, so that the program gets its answer.
    private func keep(_ bytes: [UInt8], in spool: ArrivingSpool) {
        do { try spool.append(bytes) } catch {
            spool.fail(error)
            spool.discard()
        }
    }
}

/// The answer to one request, as it is written.
struct RequestReply: Sendable {
    let request: IncomingRequest
    /// Whether the request came by HTTP/1.0.
    let isOld: Bool
    let keepsAlive: Bool
    let trust: ConnectionTrust
    let channel: any Channel
    let writer: RequestConnection.Writer

    /// Writes the answer.
    ///
    /// - Parameter isRequestWhole: whether all of the request has arrived. If not, the connection ends, because what still
    ///   arrives can't be told from another request in time.
    /// - Returns: whether the connection may have another request.
    /// - Throws: if the answer broke off; then the connection must end before it does.
    func send(
        _ answer: (IncomingRequest) async -> OutgoingAnswer, isRequestWhole: () -> Bool
    ) async throws -> Bool {
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
        let hasEnd = !(isOld && hasBody && length == nil)
        let mayStay = keepsAlive && trust.mayStay && !answer.endsConnection && hasEnd && isRequestWhole()
        if !mayStay { head.headers.add(name: "Connection", value: "close") }
        try await write(head, hasBody ? response.body : nil, isLast: !mayStay)
        return mayStay
    }

    private static let framing: Set<HTTPField.Name?> = [
        .connection, .contentLength, .transferEncoding, .trailer, .upgrade, HTTPField.Name("keep-alive"),
    ]

    /// - Parameter isLast: whether the connection ends after it. Closing it drops what was not sent yet, so that is waited
    ///   for.
    private func write(_ head: HTTPResponseHead, _ body: ResponseBody?, isLast: Bool) async throws {
        // The head waits for the first bytes, so that a short answer is one packet.
        var parts: [HTTPServerResponsePart] = [.head(head)]
        do {
            if let body {
                for try await bytes in body {
                    parts.append(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
                    try await writer.write(contentsOf: parts)
                    parts = []
                }
            }
            guard isLast else { return try await writer.write(contentsOf: parts + [.end(nil)]) }
            if !parts.isEmpty { try await writer.write(contentsOf: parts) }
            try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        } catch {
            body?.cancel()
            throw error
        }
    }
}

extension OutgoingAnswer {
    /// That a body can't be kept; nil for another problem.
    fileprivate init?(_ problem: ArrivingSpool.Problem) {
        let reason: String
        switch problem {
        case .full: reason = "the bodies that are on their way are too long together"
        case .system: reason = "the body can't be kept in the directory for temporary files (TMPDIR)"
        case .brokenOff: return nil
        }
        let text = errorText("InsufficientStorage", reason)
        self.init(
            response: TransportResponse(
                status: 507,
                headerFields: [.contentType: "application/json", .contentLength: "\(text.count)"],
                body: ResponseBody(text)),
            endsConnection: true)
    }
}

/// An error of the server itself, as XRPC has them. Neither text needs an escape in JSON.
private func errorText(_ name: String, _ message: String) -> [UInt8] {
    Array(#"{"error":"\#(name)","message":"\#(message)"}"#.utf8)
}
