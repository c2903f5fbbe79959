public import ATPNetworking
public import ATProtoSessions
internal import BskyAuthLoopback
public import FoundationEssentials

/// A user agent for programs on the person's own machine: it receives the redirect on a port of 127.0.0.1 (RFC 8252 §7.3).
///
/// ```swift
/// let browser = try await LoopbackUserAgent { page in print("Open this page:\n\(page)") }
/// let client = ATProtoClient(as: .loopback(redirectURI: browser.redirectURI), …)
/// let account = try await client.login("alice.example.com", with: browser)
/// await browser.close()
/// ```
///
/// It starts no browser: `open` does that, or prints the page. Use it for one login at a time.
public final class LoopbackUserAgent: UserAgent {
    /// Where the browser is sent, with the port. Make the client with it.
    public let redirectURI: String

    private let server: LoopbackServer
    private let queries: AsyncStream<String>
    private let open: @Sendable (HTTPURL) async throws -> Void

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - ports: the first free port of these is used; nil lets the system choose one.
    ///   - path: the path of the redirect URI.
    ///   - open: shows the page to the person.
    /// - Throws: ``LoopbackUnavailable`` if no port can be used.
    public init(
        ports: ClosedRange<Int>? = nil, path: String = "/callback",
        open: @escaping @Sendable (HTTPURL) async throws -> Void
    ) async throws(LoopbackUnavailable) {
        let (queries, feed) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(64))
        do {
            server = try await LoopbackServer.bind(ports: ports, path: path) { request in
                feed.yield(request.query)
                return RedirectReply(status: 200, html: Array(Self.page.utf8))
            }
        } catch {
            throw LoopbackUnavailable(error)
        }
        self.queries = queries
        self.open = open
        redirectURI = "http://127.0.0.1:\(server.port)\(path)"
    }

    /// Shows the page, and waits for the redirect.
    public func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String {
        try await open(page)
        for await query in queries { return "\(self.redirectURI)?\(query)" }
        throw CancellationError()
    }

    /// Stops listening. Call it once the login is over.
    public func close() async { await server.shutdown() }

    private static let page =
        "<!doctype html><meta charset=utf-8><title>Login</title><p>You can close this page and go back to the program."
}

/// Why no port of this machine can be used for a redirect.
public struct LoopbackUnavailable: Error, Sendable, CustomStringConvertible {
    /// The reason, in plain English.
    public let description: String

    init(_ error: LoopbackServerError) {
        description =
            switch error {
            case .portBusy(let ports):
                ports.count == 1 ? "port \(ports.lowerBound) is in use" : "every port of the range is in use"
            case .socketBusy: "the socket is in use"
            case .cannotBind(let errno): "no port can be used" + (errno.map { " (error \($0))" } ?? "")
            }
    }
}

extension LoopbackUnavailable: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
