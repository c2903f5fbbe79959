public import ATPNetworking
internal import ATProtoIdentity
public import ATProtoSessions
package import ATProtoXRPC
public import HTTPTypes

/// One HTTP request of a program, as it came.
public struct GatewayRequest: Sendable {
    package let method: HTTPRequest.Method
    package let target: String
    package let headerFields: HTTPFields
    package let body: RequestBody

    /// - Parameters:
    ///   - method: the HTTP method, as it came. HEAD is asked as GET.
    ///   - target: the path with the query, as it came: `/xrpc/com.atproto.server.getSession`.
    ///   - headerFields: all header fields. Only those that a PDS needs are passed on; `Authorization` and `Cookie` are not.
    ///   - body: the body; an empty one is none. A stream is read again if the request is sent again, after a refused token or
    ///     nonce.
    public init(method: HTTPRequest.Method, target: String, headerFields: HTTPFields, body: RequestBody) {
        self.method = method
        self.target = target
        self.headerFields = headerFields
        self.body = body.length == 0 ? .none : body
    }
}

/// The answer to a request of a program.
public struct GatewayAnswer: Sendable {
    /// The answer of the account's server without its cookies, nonces, redirects and permissions for caches, or an answer of
    /// the gateway itself in the form of XRPC errors (atproto.com/specs/xrpc, Error Responses).
    public package(set) var response = Refusal.notFound.response
    /// The method that was called. Nil if the request names none.
    public package(set) var nsid: String?
    /// Why the account could not be used. Nil if its server answered, or if the request was refused.
    public package(set) var failure: ATProtoFailure?

    package init() {}

    /// The head alone, for HEAD.
    var withoutBody: GatewayAnswer {
        response.body.cancel()
        var answer = self
        answer.response = TransportResponse(
            status: response.status, headerFields: response.headerFields, body: ResponseBody([]))
        return answer
    }
}

extension GatewayRequest {
    /// Answers the request. Every failure is an answer, too.
    ///
    /// - Parameters:
    ///   - response: the response to the call that the request asks for.
    ///   - refusal: what the program is told of an error of `response`, or of a request that asks for no call.
    package func answer(
        by response: (XRPCRequest) async throws -> TransportResponse, refusing refusal: (any Error) -> Refusal
    ) async -> GatewayAnswer {
        var answer = GatewayAnswer()
        do {
            let call = try call()
            answer.nsid = call.nsid.description
            answer.response = try await response(call)
        } catch {
            answer.response = refusal(error).response
        }
        return method == .head ? answer.withoutBody : answer
    }

    /// Answers the request with a response that no call made.
    package func answer(_ response: TransportResponse) -> GatewayAnswer {
        var answer = GatewayAnswer()
        answer.response = response
        return method == .head ? answer.withoutBody : answer
    }

    /// The call that the request asks for, built anew: only what is understood goes on.
    ///
    /// A server may ignore case and a slash at the end of a path, so rules for names need the names themselves.
    package func call() throws(Refusal) -> XRPCRequest {
        // Bytes, not characters: a combining mark after a slash would hide it.
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/"), !path.contains(UInt8(ascii: "%")),
            !path.contains(UInt8(ascii: ";")),
            !zip(path, path.dropFirst()).contains(where: { $0 == Self.slashes })
        else { throw .invalid("the path can't be read in one way only") }
        guard path.starts(with: Self.path) else { throw .notFound }
        guard let nsid = try? NSID(validating: Substring(path.dropFirst(Self.path.count))) else {
            throw .invalid("the path must be /xrpc/ and the name of a method, and nothing else")
        }
        let query = target.utf8.dropFirst(path.count + 1)
        guard let parameters = FormParameters(parsing: Substring(query)) else {
            throw .invalid("an escape in the query is broken")
        }
        let fields = try passedFields()
        guard let method = xrpcMethod else { throw .wrongMethod }
        if method == .query, hasBody { throw .invalid("a query has no body") }
        return XRPCRequest(
            method, KnownMethods.lexicons.spelled(nsid), parameters: parameters, body: body,
            contentType: fields[.contentType] ?? "application/octet-stream", headerFields: fields)
    }

    private static let path = "/xrpc/".utf8
    private static let slashes = (UInt8(ascii: "/"), UInt8(ascii: "/"))

    /// HEAD is asked as GET, and its answer is cut.
    private var xrpcMethod: XRPCMethod? {
        switch method {
        case .get, .head: .query
        case .post: .procedure
        default: nil
        }
    }

    private var hasBody: Bool { if case .none = body { false } else { true } }

    /// The header fields that go to the PDS.
    private func passedFields() throws(Refusal) -> HTTPFields {
        var fields = HTTPFields()
        for field in headerFields where Self.passed.contains(field.name) {
            guard Self.lists.contains(field.name) || fields[field.name] == nil else {
                throw .invalid("\(field.name.canonicalName) is there twice")
            }
            fields.append(field)
        }
        return fields
    }

    /// Fields of which a request may have several, which are one list (RFC 9110 §5.3).
    private static let lists: Set<HTTPField.Name?> = [
        .accept, .acceptEncoding, .acceptLanguage, .ifMatch, .ifNoneMatch, .atprotoAcceptLabelers,
        HTTPField.Name("x-bsky-topics"),
    ]
    private static let passed: Set<HTTPField.Name?> = lists.union([
        .contentType, .contentEncoding, .atprotoProxy, .range, .ifModifiedSince, .ifRange,
    ])
}

extension GatewayAnswer {
    /// The answer of a PDS with the header fields that are for the program.
    ///
    /// What a PDS says to browsers and about proofs is not: `access-control-allow-origin`, cookies, `dpop-nonce`. Nor is `location`: a
    /// program that follows it would send what it authenticates with to somebody else (protocol:R62).
    ///
    /// The length is written anew: the program's server frames the answer by it.
    static func passing(_ response: TransportResponse) -> TransportResponse {
        let isEmpty = response.status == 204 || response.status == 304
        let length = response.status == 204 ? nil : response.headerFields.framedLength
        var fields = HTTPFields(response.headerFields.filter { isPassed($0.name) })
        fields[.contentLength] = length.map(String.init)
        var body = response.body
        if let bodyLength = isEmpty ? 0 : length {
            body = ResponseBody(MeasuredBody(body, length: bodyLength))
        }
        return TransportResponse(status: response.status, headerFields: fields, body: body)
    }

    private static func isPassed(_ name: HTTPField.Name) -> Bool {
        passed.contains(name) || name.canonicalName.hasPrefix("ratelimit")
    }

    private static let passed: Set<HTTPField.Name?> = [
        .contentType, .contentEncoding, .contentLength, .contentLanguage, .contentDisposition, .contentRange,
        .acceptRanges, .eTag, .lastModified, .cacheControl, .retryAfter, .date,
        HTTPField.Name("atproto-repo-rev"), HTTPField.Name("atproto-content-labelers"),
    ]
}
