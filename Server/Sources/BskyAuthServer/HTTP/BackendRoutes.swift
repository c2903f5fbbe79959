internal import ATPNetworking
internal import ATProtoGateway
internal import ATProtoOAuth
internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import OAuthDPoP

/// The backend for web pages and apps.
struct BackendRoutes: Sendable {
    let configuration: Configuration
    let logins: Logins
    let sessions: Sessions
    let admission: Admission
    let clients: Clients
    /// Makes the calls of an account.
    let client: ATProtoClient
    let gateway: Gateway
    let uploads: Uploads
    let calls: Calls
    let rows: any RowStore
    /// The client assertion backend; nil if it is off.
    let assertions: Assertions?
    /// The protection of other sites; nil if it is off.
    let gate: SiteGate?
    let metadata: ClientMetadata
    /// The public halves of the keys that authenticate the server; none for a public client.
    let clientKeys: [PublicJWK]
    let audit: AuditLog
    let metrics: Metrics

    /// What the JSON API is, in OpenAPI.
    static let description = String(decoding: PackageResources.openapi_json, as: UTF8.self)

    func router() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestCounter(metrics: metrics))
        router.add(middleware: CrossOrigin(of: configuration.apps))
        router.add(middleware: Guard(appName: configuration.appName))
        addLogins(to: router)
        addSessions(to: router)
        addPages(to: router)
        addCalls(to: router)
        if let assertions { addAssertions(assertions, to: router) }
        if let gate { addSites(gate, to: router) }
        for path: RouterPath in ["/oauth-client-metadata.json", "/client-metadata.json"] {
            router.get(path) { _, _ in Response(jsonText: metadata.text) }
        }
        router.get("/oauth/jwks.json") { _, _ in Response(jsonText: ClientMetadata.keySet(clientKeys)) }
        router.get("/health") { _, _ in
            do { _ = try await rows.get("health") } catch {
                return try Response(json: ["status": "unavailable"], status: .serviceUnavailable)
            }
            return try Response(json: ["status": "ok"])
        }
        router.get("/openapi.json") { _, _ in Response(jsonText: Self.description) }
        router.add(middleware: OtherMethods(than: router.routes))
        return router
    }

    // MARK: Sessions of requests

    /// Who holds the session of a request.
    struct Holder: Sendable {
        let found: SessionBook.Found
        let isBrowser: Bool
        /// The place of the request among those of the session. It is free again when this is released.
        var slot: Slots<UUID>.Slot?
    }

    /// The session of a request: that of its `Authorization` header, or else of its cookie.
    ///
    /// - Parameter changes: whether the request changes something, so that a cookie counts only on a page of this site.
    func holder(_ request: Request, changes: Bool) async throws -> Holder {
        if let holder = try await app(request) { return holder }
        return try await browser(request, changes: changes)
    }

    /// The session of the cookie.
    ///
    /// - Parameter changes: whether the request changes something, so that it must come from a page of this site.
    func browser(_ request: Request, changes: Bool) async throws -> Holder {
        guard let token = ServerCookie.session.value(in: request) else { throw Problem.noSession }
        if changes { try request.requireSameOrigin(configuration.baseURL) }
        let found = try await sessions.open(token)
        guard found.session.app == RegisteredApp.browser else { throw Problem.sessionEnded }
        return Holder(found: found, isBrowser: true, slot: try calls.take(of: found.id))
    }

    /// The session of the `Authorization` header; nil without the header. An app's own server names its app, so that it does
    /// not take a session that was given to another one.
    func app(_ request: Request) async throws -> Holder? {
        guard let token = try request.bearer() else { return nil }
        let found = try await sessions.open(token)
        let app = found.session.app
        guard let registered = configuration.apps.first(where: { $0.name == app }) else {
            throw Problem.sessionEnded
        }
        // A page of one app does not take the session of another one.
        if let origin = request.headers[.origin], !registered.origins.contains(origin),
            configuration.apps.contains(where: { $0.origins.contains(origin) })
        {
            throw Problem.sessionEnded
        }
        // The parameters of a call are for the server of the account.
        if request.uri.path.hasPrefix("/api/"), try request.query()["app"] ?? app != app {
            throw Problem.sessionEnded
        }
        return Holder(found: found, isBrowser: false, slot: try calls.take(of: found.id))
    }

    /// Gives a session back to its holder: to a browser as a cookie, to an app in the answer.
    func answer(_ grant: Sessions.Grant?, to holder: Holder) async throws -> Response {
        guard holder.isBrowser else {
            return try await Response(json: SessionAnswer(grant?.session, grant, sessions.accounts))
        }
        var response = try await Response(json: SessionAnswer(grant?.session, nil, sessions.accounts))
        give(grant, to: &response)
        return response
    }

    /// Sets the cookie of a session, or removes it.
    func give(_ grant: Sessions.Grant?, to response: inout Response) {
        if let grant {
            let seconds = Int(grant.expiry.timeIntervalSince(sessions.now()))
            response.set(.session, grant.text, seconds: seconds)
        } else {
            response.remove(.session)
        }
    }
}

/// What a session is, for its holder. It has no token of OAuth.
struct SessionAnswer: Encodable {
    let success = true
    let authenticated: Bool
    let app: String?
    /// The active account.
    let account: String?
    let did: String?
    let handle: String?
    let expiresAt: Date?
    /// The sealed session, if the answer gives a new one to an app.
    let session: String?

    init(
        _ session: AppSession?, _ grant: Sessions.Grant?, _ accounts: any OwnedAccounts
    ) async throws {
        authenticated = session != nil
        app = session?.app
        account = session?.active?.uuidString
        did = session?.activeEntry?.did
        handle = if let active = session?.active { await accounts.handle(of: active) } else { nil }
        expiresAt = session?.expiry
        self.session = grant?.text
    }
}
