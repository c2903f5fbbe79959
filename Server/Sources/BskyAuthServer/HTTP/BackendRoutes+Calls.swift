internal import ATPNetworking
internal import ATProtoGateway
internal import ATProtoSessions
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension BackendRoutes {
    /// Passes calls of XRPC on to the server of an account.
    func addCalls(to router: Router<ServerContext>) {
        for method: HTTPRequest.Method in [.get, .head, .post, .put, .patch, .delete, .options] {
            router.on("/xrpc/**", method: method) { request, _ in try await call(request) }
        }
    }

    /// Passes a call on as the active account, or as the one that the request names.
    ///
    /// A person chooses the server of an account, and it may send HTML or scripts, which would run with the cookie of this
    /// origin. So a cookie counts for scripts of our own pages alone, and not for navigations or elements of a page.
    private func call(_ request: Request) async throws -> Response {
        let holder = try await holder(request, changes: true)
        if holder.isBrowser { try request.requireScript() }
        let account = try account(of: request, in: holder.found.session)
        func call(_ body: ATPNetworking.RequestBody) -> GatewayRequest {
            GatewayRequest(
                method: request.method, target: request.head.path ?? "", headerFields: request.headers,
                body: body)
        }
        if request.hasBody, let refusal = gateway.refusal(of: call(.none)) {
            return try await Response(harmless: refusal.response)
        }
        guard request.method == .post || !request.hasBody else {
            throw Problem(.badRequest, "invalid_request", "A query has no body. Send it without one.")
        }
        let upload = try await uploads.receive(request, of: holder.found.id)
        defer { upload.end() }
        let server = try calls.take(at: await sessions.accounts.server(of: account))
        // The session is not extended here. The answer may come late, and its cookie would replace a newer one.
        let answer = await gateway.answer(call(upload.body), as: client.agent(for: account))
        return try await Response(harmless: answer.response, slots: [holder.slot, server])
    }

    private func account(of request: Request, in session: AppSession) throws -> UUID {
        let names = request.headers[values: .account]
        guard let name = names.first else {
            guard let active = session.active else { throw Problem.noActiveAccount }
            return active
        }
        guard names.count == 1, let account = UUID(uuidString: name), session.owns(account) else {
            throw Problem.noSuchAccount
        }
        return account
    }
}

extension Request {
    /// Refuses what a browser does not send for a script, such as a navigation or an image (Fetch Metadata, Sec-Fetch-Dest).
    fileprivate func requireScript() throws {
        let destination = headers[values: .fetchDestination]
        let isKnown = !headers[values: .fetchSite].isEmpty
        guard destination == ["empty"] || (destination.isEmpty && !isKnown) else {
            throw Problem(
                .forbidden, "not_a_page", "Only a script of this site can call this address. It is no page.")
        }
    }
}

extension Response {
    /// The answer of an account's server, in a form that a browser never runs.
    ///
    /// ``Guard`` adds the header fields that are the same for every answer.
    ///
    /// - Parameter slots: are kept until the answer has been sent.
    init(harmless answer: TransportResponse, slots: [any Sendable] = []) async throws {
        let type = answer.headerFields[.contentType].map {
            $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        var fields = answer.headerFields
        fields[.contentDisposition] = nil
        if let type, Self.inertTypes.contains(type) {
            fields[.contentType] = type
        } else {
            fields[.contentType] = "application/octet-stream"
            fields[.contentDisposition] = "attachment"
        }
        self.init(
            status: .init(code: answer.status),
            headers: fields.filter { Self.passedFields.contains($0.name) },
            body: try await Self.body(of: answer, slots))
    }

    /// A short body is sent in one piece with its head. A longer one streams.
    private static func body(
        of answer: TransportResponse, _ slots: [any Sendable]
    ) async throws -> Hummingbird.ResponseBody {
        let length = answer.headerFields[.contentLength].flatMap(Int.init)
        guard let length, length <= Self.longestPiece else {
            return Hummingbird.ResponseBody(asyncSequence: AnswerBytes(body: answer.body, slots: slots))
        }
        do {
            return Hummingbird.ResponseBody(
                byteBuffer: ByteBuffer(bytes: try await answer.body.collect(upTo: length)))
        } catch {
            throw Problem.brokenAnswer
        }
    }

    private static let longestPiece = 64 * 1024

    /// The types that no browser runs.
    private static let inertTypes: Set = [
        "application/json", "application/vnd.ipld.car", "image/png", "image/jpeg", "image/gif", "image/webp",
        "image/avif",
    ]

    /// The header fields of an answer. What a server says about cookies, redirects, other origins and service workers is for
    /// its own origin, not for this one.
    private static let passedFields: Set<HTTPField.Name?> = [
        .contentType, .contentDisposition, .contentEncoding, .contentLength, .contentLanguage, .contentRange,
        .acceptRanges, .eTag, .lastModified, .retryAfter, HTTPField.Name("RateLimit-Limit"),
        HTTPField.Name("RateLimit-Remaining"), HTTPField.Name("RateLimit-Reset"),
        HTTPField.Name("RateLimit-Policy"), HTTPField.Name("atproto-repo-rev"),
        HTTPField.Name("atproto-content-labelers"),
    ]
}

/// The bytes of an answer as they arrive, for the server.
private struct AnswerBytes: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: ATPNetworking.ResponseBody
    let slots: [any Sendable]

    func makeAsyncIterator() -> Iterator { Iterator(bytes: body.makeAsyncIterator(), slots: slots) }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: ATPNetworking.ResponseBody.Iterator
        /// Are free again when the bytes have been sent.
        let slots: [any Sendable]

        mutating func next() async throws -> ByteBuffer? {
            try await bytes.next().map { ByteBuffer(bytes: $0) }
        }
    }
}
