internal import HTTPTypes
internal import Hummingbird

/// Lets scripts at the origins of registered apps read answers (Fetch, §3.3 CORS protocol).
///
/// This is for apps that send their session in `Authorization`, and for the two requests that bring them one. An answer to a cookie
/// stays for this origin alone: no answer has `Access-Control-Allow-Credentials`.
struct CrossOrigin: RouterMiddleware {
    typealias Context = ServerContext

    /// The origins of all apps, compared byte for byte.
    private let origins: Set<String>

    init(of apps: [RegisteredApp]) {
        origins = Set(apps.flatMap(\.origins))
    }

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard !origins.isEmpty, path.hasPrefix("/api/") || path.hasPrefix("/xrpc/") else {
            return try await next(request, context)
        }
        let given = request.headers[values: .origin]
        let origin = given.count == 1 && origins.contains(given[0]) ? given[0] : nil
        var response: Response
        if let origin, request.isPreflight {
            response = Response(status: .noContent)
            Guard.protect(&response)
            response.allow(origin)
            response.headers[.accessControlAllowMethods] = "GET, HEAD, POST"
            response.headers[.accessControlAllowHeaders] = Self.requestFields
            response.headers[.accessControlMaxAge] = "600"
        } else {
            response = try await next(request, context)
            if let origin, request.isOfApp { response.allow(origin) }
        }
        response.headers[.vary] = "Origin"
        return response
    }

    /// The fields of requests that the server reads or passes on, and that a script may not send by itself.
    private static let requestFields =
        "Authorization, Content-Type, Bskyauth-Account, Atproto-Proxy, Atproto-Accept-Labelers, X-Bsky-Topics, Range, "
        + "If-Match, If-None-Match, If-Modified-Since"
}

extension Request {
    /// Whether a browser asks if a script may send a request.
    fileprivate var isPreflight: Bool {
        method == .options && headers[values: .accessControlRequestMethod].count == 1
    }

    /// Whether the request has the session of an app, or brings one.
    fileprivate var isOfApp: Bool {
        let bringsSession = ["/api/auth/start", "/api/auth/mobile-start", "/api/auth/tokens"]
        return headers[.authorization] != nil
            || headers[.cookie] == nil && method == .post && bringsSession.contains(uri.path)
    }
}

extension Response {
    /// Lets scripts of an origin read the answer.
    fileprivate mutating func allow(_ origin: String) {
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlExposeHeaders] =
            "Retry-After, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, "
            + "Atproto-Repo-Rev, Atproto-Content-Labelers"
        headers[.resourcePolicy] = "cross-origin"
    }
}
