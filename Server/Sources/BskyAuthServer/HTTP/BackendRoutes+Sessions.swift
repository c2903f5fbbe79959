internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird

extension BackendRoutes {
    func addSessions(to router: Router<ServerContext>) {
        router.post("/api/auth/tokens") { request, _ in try await tokens(request) }
        router.get("/api/auth/session") { request, _ in
            let holder = try await holder(request, changes: false)
            let grant = holder.isBrowser ? try await sessions.extendIfAged(holder.found) : nil
            let session = grant?.session ?? holder.found.session
            var response = try await Response(json: SessionAnswer(session, nil, sessions.accounts))
            if let grant { give(grant, to: &response) }
            return response
        }
        router.post("/api/auth/refresh") { request, _ in
            let holder = try await holder(request, changes: true)
            return try await answer(try await refresh(holder), to: holder)
        }
        router.get("/mobile/refresh-token") { request, _ in try await mobileRefresh(request) }
        router.post("/api/auth/logout") { request, _ in try await logOut(request) }
        router.post("/api/auth/logout-everywhere") { request, _ in
            let holder = try await holder(request, changes: true)
            let grant = try await sessions.logOutEverywhere(from: holder.found)
            await audit(.logoutEverywhere, holder.found.session.activeEntry, holder)
            return try await answer(grant, to: holder)
        }
        router.get("/api/accounts") { request, _ in
            let session = try await holder(request, changes: false).found.session
            return try await Response(json: AccountsAnswer(session, sessions.accounts))
        }
        router.post("/api/accounts/switch") { request, _ in
            let holder = try await holder(request, changes: true)
            guard let text = try await request.json(SwitchRequest.self).account else {
                throw Problem(
                    .badRequest, "invalid_request", "Account is required. GET /api/accounts lists them.")
            }
            guard let account = UUID(uuidString: text) else { throw Problem.noSuchAccount }
            return try await answer(try await sessions.activate(account, in: holder.found), to: holder)
        }
    }

    /// Exchanges the one-time code of an app for its session.
    private func tokens(_ request: Request) async throws -> Response {
        let body = try await request.json(TokensRequest.self)
        guard let code = body.code, let verifier = body.codeVerifier else {
            throw Problem(.badRequest, "invalid_request", "code and code_verifier are required.")
        }
        let spent = try await logins.spend(code, verifier: verifier)
        let earlier: SessionBook.Found? =
            if let id = spent.adding { try await sessions.book.find(id) } else { nil }
        let grant = try await sessions.begin(spent.account, in: spent.app, adding: earlier)
        return try await Response(json: SessionAnswer(grant.session, grant, sessions.accounts))
    }

    /// The refresh of apps that were written for atproto-oauth-hono.
    private func mobileRefresh(_ request: Request) async throws -> Response {
        guard let holder = try await app(request) else { throw Problem.noSession }
        let grant = try await refresh(holder)
        return try Response(
            json: MobileRefreshAnswer(
                payload: .init(did: grant.session.activeEntry?.did, sid: grant.text)))
    }

    private func logOut(_ request: Request) async throws -> Response {
        let holder = try await holder(request, changes: true)
        let body = try await request.json(LogoutRequest.self)
        if body.all == true {
            try await sessions.logOutAll(of: holder.found)
            for entry in holder.found.session.accounts { await audit(.logoutAll, entry, holder) }
            return try await answer(nil, to: holder)
        }
        let account: UUID
        if let text = body.account {
            guard let named = UUID(uuidString: text) else { throw Problem.noSuchAccount }
            account = named
        } else {
            guard let active = holder.found.session.active else { throw Problem.noActiveAccount }
            account = active
        }
        let grant = try await sessions.logOut(account, of: holder.found)
        await audit(.logout, holder.found.session.accounts.first { $0.id == account }, holder)
        return try await answer(grant, to: holder)
    }

    /// Moves the end of a session. An active account whose OAuth session has ended is in the audit log.
    private func refresh(_ holder: Holder) async throws -> Sessions.Grant {
        let active = holder.found.session.activeEntry
        do {
            // The server of the account is asked.
            let server: Calls.Server? =
                if let active { try calls.take(at: await sessions.accounts.server(of: active.id)) } else {
                    nil
                }
            defer { withExtendedLifetime((holder, server)) {} }
            let grant = try await sessions.refresh(holder.found)
            if let active, !grant.session.owns(active.id) { await audit(.accountEnded, active, holder) }
            return grant
        } catch let problem as Problem {
            if problem.code == Problem.sessionEnded.code { await audit(.accountEnded, active, holder) }
            throw problem
        }
    }

    /// Notes what has happened to an account of a session.
    func audit(
        _ event: AuditLog.Event, _ account: AppSession.Entry?, _ holder: Holder
    ) async {
        await audit.write(
            event, did: account?.did, account: account?.id, session: holder.found.id,
            app: holder.found.session.app)
    }
}

private struct TokensRequest: Decodable {
    let code: String?
    let codeVerifier: String?

    private enum CodingKeys: String, CodingKey {
        case code
        case codeVerifier = "code_verifier"
    }
}

private struct LogoutRequest: Decodable {
    let all: Bool?
    let account: String?
}

private struct SwitchRequest: Decodable {
    let account: String?
}

private struct MobileRefreshAnswer: Encodable {
    struct Payload: Encodable {
        let did: String?
        let sid: String
    }

    let success = true
    let payload: Payload
}

private struct AccountsAnswer: Encodable {
    struct Item: Encodable {
        let account: String
        let did: String
        let handle: String?
        let active: Bool
    }

    let active: String?
    let accounts: [Item]

    init(_ session: AppSession, _ accounts: any OwnedAccounts) async throws {
        active = session.active?.uuidString
        var items: [Item] = []
        for entry in session.accounts {
            items.append(
                Item(
                    account: entry.id.uuidString, did: entry.did,
                    handle: await accounts.handle(of: entry.id),
                    active: entry.id == session.active))
        }
        self.accounts = items
    }
}
