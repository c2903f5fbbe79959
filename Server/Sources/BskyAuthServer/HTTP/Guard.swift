internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Turns errors into answers, and adds the headers that keep browsers from doing anything else with an answer.
struct Guard: RouterMiddleware {
    typealias Context = ServerContext

    let appName: String

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            // ``HeadRules`` has removed the fields of a head that is not clear.
            guard request.head.authority != nil else { throw Problem.unclearHead }
            response = try await next(request, context)
        } catch {
            response = try answer(to: error, request, context)
            if request.method == .head { response = response.createHeadResponse() }
        }
        Self.protect(&response)
        return response
    }

    /// Adds the fields that every answer has.
    static func protect(_ response: inout Response) {
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "same-origin"
        response.headers[.openerPolicy] = "same-origin"
        response.headers[.resourcePolicy] = "same-origin"
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'; sandbox"
        }
    }

    private func answer(to error: any Error, _ request: Request, _ context: ServerContext) throws -> Response
    {
        let problem: Problem
        switch error {
        case let error as Problem: problem = error
        case let error as HTTPError where error.status == .notFound: problem = .notFound
        case let error as HTTPError:
            problem = Problem(error.status, "invalid_request", error.body ?? "The request can't be read.")
        case let error as FileProblem where error.isFull:
            context.logger.error("\(request.method) \(request.uri.path): \(error)")
            problem = .noRoom
        default:
            context.logger.error("\(request.method) \(request.uri.path): \(error)")
            problem = .broken
        }
        let isPage = Self.pages.contains(request.uri.path) || request.wantsPage
        var response =
            isPage
            ? Response(Pages.problem(problem), appName: appName)
            : try Response(json: ProblemAnswer(error: problem.code, message: problem.message))
        response.status = problem.status
        if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
        response.headers[.allow] = problem.allow
        return response
    }

    /// The addresses that people open.
    private static let pages: Set<String> = [
        "/login", "/mobile-auth", "/accounts", "/oauth/callback", "/oauth/mobile-callback", "/callback",
        "/oauth/loopback", "/auth/login", "/auth/logout",
    ]
}

extension Request {
    /// Whether a person may see the answer: a browser opens an address that is for no program.
    fileprivate var wantsPage: Bool {
        let isForPrograms = uri.path == "/auth" || ["/api/", "/xrpc/"].contains(where: uri.path.hasPrefix)
        return !isForPrograms && headers[.accept]?.contains("text/html") == true
    }
}

private struct ProblemAnswer: Encodable {
    let error: String
    let message: String
    /// Apps written for other backends look at it.
    let authenticated = false
}

extension Response {
    init(json value: some Encodable, status: HTTPResponse.Status = .ok) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        self.init(jsonText: String(decoding: try encoder.encode(value), as: UTF8.self), status: status)
    }

    init(jsonText text: String, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    init(_ page: Page, appName: String, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: Page.policy],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.text(appName: appName))))
    }

    /// Has the browser open another address with GET.
    init(seeOther address: String) {
        self.init(status: .seeOther, headers: [.location: address])
    }
}
