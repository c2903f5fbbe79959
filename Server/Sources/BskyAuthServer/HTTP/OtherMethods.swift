internal import HTTPTypes
internal import Hummingbird

/// Refuses the methods that an address does not have (RFC 9110 §15.5.6).
///
/// A middleware applies to the routes that are added after it. Added after all routes, this one gets the requests that match none.
struct OtherMethods: RouterMiddleware {
    typealias Context = ServerContext

    /// The methods of each address, as `Allow` names them.
    private let methods: [String: String]

    init(than routes: [Router<ServerContext>.RouteDescription]) {
        methods = Dictionary(
            // The router answers HEAD wherever it answers GET.
            routes.map { ($0.path.description, $0.method == .get ? "GET, HEAD" : $0.method.rawValue) },
            uniquingKeysWith: { "\($0), \($1)" })
    }

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard let methods = methods[request.uri.path] else { return try await next(request, context) }
        throw Problem(
            .methodNotAllowed, "method_not_allowed", "This address has only \(methods).", allow: methods)
    }
}
