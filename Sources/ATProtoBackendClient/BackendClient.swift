public import ATPNetworking
internal import ATProtoIdentity
public import ATProtoSessions
internal import ATProtoXRPC
public import HTTPTypes
internal import OAuthDPoP

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Logs people in to an app through `bskyauth-server`, and sends the app's requests (Server/README.md, "Log in from an app").
///
/// The server keeps the OAuth sessions. The app holds one ``BackendSession``, sealed by the server, with one account or several.
/// A login adds an account to it.
///
/// Use one client for all tasks. Only one process at a time may use its storage. The client reads no environment variable,
/// installs no signal handler, starts no process and prints nothing.
public struct BackendClient: Sendable {
    let backend: Backend
    let redirectURI: String
    let store: BackendSessionStore
    let clock: any WallClock

    /// - Parameters:
    ///   - address: the address of the server, as `https://auth.example.com`. Plain `http` is for the loopback addresses of a
    ///     test.
    ///   - redirectURI: where the browser is sent at the end of a login, as `com.example.app:/auth`. The server's configuration
    ///     lists it, byte for byte.
    ///   - storage: keeps the session, and the login that waits for its redirect.
    ///   - transport: sends the requests.
    ///   - clock: tells the time.
    /// - Throws: `ATProtoFailure.Code.invalidArgument`.
    public init(
        at address: String, redirectURI: String, storage: any SecretStorage, transport: any HTTPTransport,
        clock: any WallClock = SystemClock()
    ) throws(ATProtoFailure) {
        guard let url = try? HTTPURL(validating: address), url.path == "/", url.query == nil,
            url.origin.scheme == .https || url.origin.isLoopback
        else {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(address)) is no https address of a server")
        }
        guard AppRedirect.isAcceptable(redirectURI) else {
            throw ATProtoFailure(
                .invalidArgument, "\(UntrustedText.harmless(redirectURI)) is no redirect URI of an app")
        }
        backend = Backend(server: url.origin, transport: transport)
        self.redirectURI = redirectURI
        store = BackendSessionStore(storage)
        self.clock = clock
    }

    // MARK: Login

    /// Begins a login, and saves it, so that it survives a restart of the app. It takes the place of a login that was begun
    /// before. The person then opens the page in the browser of the system.
    ///
    /// - Parameter identifier: a handle or a DID.
    /// - Returns: the page. It works once and for a few minutes.
    /// - Throws: `ATProtoFailure.Code.noSuchAccount` or `.invalidArgument` for an identifier that leads to no account, and
    ///   `.refused` if the server of the account does not answer.
    public func begin(_ identifier: String) async throws(ATProtoFailure) -> HTTPURL {
        try await start(identifier).page
    }

    /// Completes the login that was begun last: exchanges the code of a redirect for a session, compares whose it is, and saves
    /// it.
    ///
    /// Any program of the device can send a redirect. One that does not answer the login is refused, and the login goes on
    /// waiting. The code of another login is worth nothing here, because the server gives the session only to the holder of
    /// the verifier of the login (RFC 7636).
    ///
    /// A request that was sent goes on if the task is cancelled, because a code works once.
    ///
    /// - Parameter redirect: the whole URL that the browser was sent to.
    /// - Returns: the session, in which the account is active.
    /// - Throws: `ATProtoFailure.Code.foreignRedirect` for the redirect of something else, and if no login waits;
    ///   `.denied` if the person refused; `.verification` if the session is of another account than the redirect says;
    ///   `.refused` for a code that is not of this login, was used before or is older than a minute. Nothing is saved then.
    ///   After `.store` the session is kept in memory, and the next request saves it.
    public func complete(redirect: String) async throws(ATProtoFailure) -> BackendSession {
        try await store.alone { () async throws(ATProtoFailure) in
            guard let pending = try await store.login() else {
                throw ATProtoFailure(.foreignRedirect, "no login waits for a redirect")
            }
            return try await finish(pending, redirect)
        }
    }

    /// Logs in with a user agent that shows the page and returns the redirect.
    ///
    /// - Parameters:
    ///   - identifier: a handle or a DID.
    ///   - userAgent: shows the page.
    /// - Throws: what ``begin(_:)`` and ``complete(redirect:)`` throw, and `ATProtoFailure.Code.userAgent` or `.cancelled` if the
    ///   page was not shown to its end.
    public func login(
        _ identifier: String, with userAgent: any UserAgent
    ) async throws(ATProtoFailure) -> BackendSession {
        let (page, pending) = try await start(identifier)
        let redirect = try await userAgent.redirect(from: page, to: redirectURI)
        return try await store.alone { () async throws(ATProtoFailure) in
            try await finish(pending, redirect)
        }
    }

    private func start(
        _ identifier: String
    ) async throws(ATProtoFailure) -> (page: HTTPURL, pending: PendingBackendLogin) {
        let verifier: CodeVerifier
        do { verifier = try CodeVerifier() } catch { throw ATProtoFailure(error) }
        let request = backend.start(identifier, redirectURI, verifier)
        var present = try await store.session()
        var response: TransportResponse
        if present == nil {
            response = try await backend.send(request, nil)
        } else {
            do throws(ATProtoFailure) { (response, present) = try await authorized(request) } catch {
                // A person who logs in again is not told that the session before has ended.
                guard error.code == .sessionEnded else { throw error }
                present = nil
                response = try await backend.send(request, nil)
            }
        }
        let page = try await Backend.page(response)
        let pending = PendingBackendLogin(verifier: verifier, adding: present?.id)
        try await store.write(pending)
        return (page, pending)
    }

    /// The caller is alone with the session.
    private func finish(
        _ pending: PendingBackendLogin, _ redirect: String
    ) async throws(ATProtoFailure) -> BackendSession {
        let answer = try AppRedirect(redirect, to: redirectURI)
        let present = try await store.session()
        let grant = try await backend.tokens(answer.code, pending.verifier)
        guard let token = grant.token, let account = grant.account, let did = grant.did else {
            throw Backend.unreadable
        }
        // The server adds the account to the session that the login was begun in.
        let isAdded = present != nil && present?.id == pending.adding
        let session = BackendSession(
            id: isAdded ? present?.id : nil, token: token, of: grant, since: clock.now)
        guard did == answer.did else {
            try await refuse(account, in: session, isAdded: isAdded)
            throw ATProtoFailure(
                .verification, "the session is of \(did), and the redirect says \(answer.did)")
        }
        try await store.keep(session)
        await store.forgetLogin(pending)
        if let present, !isAdded {
            // It is in no storage any more. If the server can't be told, the session ends when its time is used up.
            _ = try? await backend.change(.logOutAll, present.token)
        }
        return session
    }

    /// Logs out an account that is not whose the redirect said. The other accounts of the session stay.
    private func refuse(
        _ account: UUID, in session: BackendSession, isAdded: Bool
    ) async throws(ATProtoFailure) {
        let session = session.refusing(account)
        let rest: BackendSession?
        do { rest = try await withoutRefused(session) } catch {
            // The account is logged out before the next request.
            rest = session
        }
        // The login has ended the session before, so the one with the other accounts takes its place.
        if isAdded, let rest { try await store.keep(rest) }
    }

    // MARK: Calls

    /// Calls the methods of the active account's server, through the backend. The agent refreshes the session when it needs
    /// to.
    ///
    /// Its calls fail with `ATProtoFailure.Code.sessionEnded` when only a new login helps, and with `.unknownAccount`
    /// without a login.
    public var agent: Agent { Agent(AgentCalls(client: self)) }

    /// Sends a request to the backend with the session, and returns the answer whatever its status. The body of the answer
    /// streams.
    ///
    /// - Parameters:
    ///   - method: the method of HTTP.
    ///   - target: a path below `/api/` or `/xrpc/`, with a query if there is one. Requests that change the session have methods
    ///     of this client, and are refused here.
    ///   - headerFields: more header fields. `Authorization` is the client's.
    ///   - body: what is sent. A stream is read again if the request is sent again, after another task has changed the
    ///     session.
    /// - Throws: `ATProtoFailure.Code.sessionEnded` when only a new login helps. The session is removed only if the backend
    ///   itself says that it has ended.
    public func send(
        _ method: HTTPRequest.Method, _ target: String, headerFields: HTTPFields = [:],
        body: RequestBody = .none
    ) async throws(ATProtoFailure) -> TransportResponse {
        let url = try? HTTPURL(validating: "\(backend.server)\(target)")
        guard let url, url.origin == backend.server, Self.isPath(url.path, of: method) else {
            throw ATProtoFailure(
                .invalidArgument, "requests to \(UntrustedText.harmless(target)) can't be sent here")
        }
        let request = TransportRequest(
            method: method, url: url, headerFields: headerFields, body: body,
            needsFreshConnection: method != .get)
        return try await authorized(request).response
    }

    private static func isPath(_ path: String, of method: HTTPRequest.Method) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard parts.count >= 2, !parts.contains(where: { $0 == "." || $0 == ".." || $0.contains("%") })
        else { return false }
        switch parts.first {
        case "xrpc": return true
        case "api": return method == .get || !["auth", "accounts"].contains(parts[2])
        default: return false
        }
    }

    /// Sends a request with the session that is good now.
    ///
    /// - Returns: the answer, and the session that it was given for.
    func authorized(
        _ request: TransportRequest
    ) async throws(ATProtoFailure) -> (response: TransportResponse, session: BackendSession) {
        var session = try await usable()
        while true {
            let (response, refusal) = try await Backend.read(try await backend.send(request, session.token))
            switch refusal {
            case .session: session = try await successor(of: session)
            case .account:
                try await checkAccount(of: session)
                return (response, session)
            case nil: return (response, session)
            }
        }
    }

    /// Asks the backend whether the account of a session still works, unless it was asked a moment ago.
    ///
    /// - Throws: `sessionEnded` if only a new login helps. The session is removed then.
    private func checkAccount(of session: BackendSession) async throws(ATProtoFailure) {
        try await store.alone { () async throws(ATProtoFailure) in
            guard let present = try await store.session() else { throw Self.ended }
            guard present.token == session.token, store.mayRefresh(at: clock.now) else { return }
            do throws(ATProtoFailure) { _ = try await renew(present) } catch {
                // Other failures say nothing about the session, and the answer to the call says enough.
                if error.code == .sessionEnded || error.code == .store { throw error }
            }
            store.postponeRefresh(until: clock.now + Self.pause)
        }
    }

    /// The session that has taken the place of one that was refused.
    ///
    /// - Throws: `sessionEnded` if there is none. The session is removed if the backend itself says that it has ended. An answer
    ///   to a call may come from the server of the account.
    private func successor(of refused: BackendSession) async throws(ATProtoFailure) -> BackendSession {
        try await store.alone { () async throws(ATProtoFailure) in
            guard let present = try await store.session() else { throw Self.ended }
            guard present.token == refused.token else { return present }
            if try await hasEnded(present) { try await store.keep(nil) }
            throw Self.ended
        }
    }

    /// Whether the backend itself says that a session has ended.
    func hasEnded(_ session: BackendSession) async throws(ATProtoFailure) -> Bool {
        try await Backend.read(try await backend.send(backend.check, session.token)).refusal == .session
    }

    static let ended = ATProtoFailure(.sessionEnded, "the session has ended")
    static let notLoggedIn = ATProtoFailure(.unknownAccount, "no account is logged in")
}

/// The calls of an agent, as the backend takes them.
private struct AgentCalls: BackendCalls {
    let client: BackendClient

    func send(_ call: XRPCRequest) async throws -> TransportResponse {
        try await client.authorized(call.transportRequest(to: client.backend.server)).response
    }

    func did() async throws -> DID {
        guard let session = try await client.session else { throw BackendClient.notLoggedIn }
        guard let did = session.did else {
            throw ATProtoFailure(.unknownAccount, "no account is active")
        }
        return did
    }
}
