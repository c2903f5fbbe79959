public import ATPNetworking
public import ATProtoSessions
internal import BskyAuthLoopback
public import FoundationEssentials

/// The loopback redirect of programs on the person's own machine (RFC 8252 §7.3). It is for Linux only.
public enum LoopbackRedirect {
    /// Logs in, and receives the redirect on a port of 127.0.0.1.
    ///
    /// ```swift
    /// let client = ATProtoClient(as: .loopback(redirectURI: "http://127.0.0.1/callback"), …)
    /// let account = try await LoopbackRedirect.login("alice.example.com", with: client) { page in
    ///     print("Open this page:\n\(page)")
    /// }
    /// ```
    ///
    /// The redirect URI of the client is `http://127.0.0.1` and a path. Each login then gets a free port, which the client ID
    /// doesn't contain. A few servers refuse a port that the client ID doesn't name. For them, make the client with a port, such
    /// as `http://127.0.0.1:8127/callback`; only one login at a time can use it.
    ///
    /// The login goes on after redirects of strangers, because anyone can send one. The browser gets its page after the
    /// result is known. The port is closed when this returns or throws. A login whose code was received goes on to its end,
    /// even if the task is cancelled or the time is over.
    ///
    /// - Parameters:
    ///   - identifier: a handle, a DID, or the https address of a server.
    ///   - label: tells several sessions of one account apart.
    ///   - client: finds the account's server, and keeps the session in its store.
    ///   - timeLimit: how long the login waits for the person. Servers may end their page earlier.
    ///   - open: shows the page to the person. It is cancelled once the login is over, and the login returns after it.
    /// - Throws: `ATProtoFailure`. Its code is `invalidArgument` if the redirect URI is another one, before anything is
    ///   sent; `timedOut` after the time limit; `cancelled` if the task is cancelled; `userAgent` if `open` fails, or if the
    ///   port can't be used. Its cause is then the error of `open` or a ``LoopbackUnavailable``.
    public static func login(
        _ identifier: String, label: String? = nil, with client: ATProtoClient,
        timeLimit: Duration = .seconds(600),
        open: @escaping @Sendable (HTTPURL) async throws -> Void
    ) async throws(ATProtoFailure) -> Account {
        let address = try LoopbackAddress(client.identity.redirectURI)
        let login = LoopbackLogin(client)
        let server = try await address.listen { await login.receive($0.query) }
        let result: Result<Account, ATProtoFailure>
        do throws(ATProtoFailure) {
            let pending = try await client.begin(
                identifier, label: label, redirectURI: address.redirectURI(port: server.port))
            result = await login.result(of: pending, in: timeLimit, open)
        } catch {
            result = .failure(error)
        }
        await server.shutdown()
        return try result.get()
    }
}

/// The redirect URI of a client, with a port or without.
private struct LoopbackAddress {
    private let text: String
    private let url: HTTPURL
    /// Nil if the system chooses a port.
    private let port: Int?

    init(_ text: String) throws(ATProtoFailure) {
        guard let url = try? HTTPURL(validating: text), url.origin.scheme == .http,
            url.origin.host == "127.0.0.1", url.query == nil
        else {
            throw ATProtoFailure(
                .invalidArgument,
                "\(UntrustedText.harmless(text)) can't be received here; use http://127.0.0.1/callback")
        }
        self.text = text
        self.url = url
        port =
            text.dropFirst("http://".count).prefix { $0 != "/" }.contains(":") ? url.origin.port : nil
    }

    func redirectURI(port used: Int) -> String {
        port == nil ? "http://127.0.0.1:\(used)\(url.path)" : text
    }

    func listen(
        _ respond: @escaping @Sendable (RedirectRequest) async -> RedirectReply
    ) async throws(ATProtoFailure) -> LoopbackServer {
        do {
            return try await LoopbackServer.bind(
                ports: port.map { $0...$0 }, path: url.path, respond: respond)
        } catch {
            let reason = LoopbackUnavailable(error)
            var failure = ATProtoFailure(.userAgent, "the redirect can't be received: \(reason)")
            failure.cause = reason
            throw failure
        }
    }
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
