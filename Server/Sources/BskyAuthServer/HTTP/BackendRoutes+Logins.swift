internal import ATPNetworking
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Logging

extension BackendRoutes {
    func addLogins(to router: Router<ServerContext>) {
        for path: RouterPath in ["/api/auth/start", "/api/auth/mobile-start"] {
            router.post(path) { request, context in try await start(request, context) }
        }
        router.get("/login") { request, context in try await openLogin(request, context) }
        router.post("/login") { request, context in try await submitLogin(request, context) }
        router.get("/mobile-auth") { request, _ in
            var parameters = try request.query()
            parameters["mobile"] = "true"
            return try loginPage(parameters)
        }
        for path: RouterPath in ["/oauth/callback", "/oauth/mobile-callback", "/callback"] {
            router.get(path) { request, context in
                // A program that looks at a link first, with HEAD, must not use its code up.
                if request.method == .head { return Response(status: .ok) }
                return try await callback(request, context)
            }
        }
    }

    /// Begins a login for an app, which keeps the verifier of its challenge, or for a page of this site.
    private func start(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.json(StartRequest.self)
        let app = try await app(request)
        var landing = try landing(
            redirect: body.redirect, challenge: body.challenge, method: body.method, isApp: app != nil)
        var browser: String?
        switch landing {
        case .page, .site:
            try request.requireSameOrigin(configuration.baseURL)
            browser = loginCookie(request)
        case .app(let name, let redirect, let challenge, _):
            guard let app else { break }
            guard app.found.session.app == name else { throw Problem.sessionEnded }
            landing = .app(name: name, redirect: redirect, challenge: challenge, adding: app.found.id)
        }
        let handle = try handle(body.handle)
        let url = try await begin(handle, landing, browser, request, context)
        var response = try Response(json: StartAnswer(authUrl: url, handle: handle))
        if let browser { keep(browser, in: &response) }
        return response
    }

    /// Begins a login for a link, or shows the form. A link of another site, or of a browser that does not say so, only fills the
    /// form in: else a stranger could log somebody in to the stranger's account.
    private func openLogin(_ request: Request, _ context: ServerContext) async throws -> Response {
        let parameters = try request.query()
        let site = request.headers[values: .fetchSite]
        guard request.method == .get, let handle = parameters["handle"],
            site == ["same-origin"] || site == ["none"]
        else {
            return try loginPage(parameters)
        }
        let (url, browser) = try await begin(try self.handle(handle), parameters, request, context)
        var response = Response(seeOther: url)
        keep(browser, in: &response)
        return response
    }

    private func submitLogin(_ request: Request, _ context: ServerContext) async throws -> Response {
        try request.requireSameOrigin(configuration.baseURL)
        let fields = try await request.form()
        do {
            let (url, browser) = try await begin(try handle(fields["handle"]), fields, request, context)
            let host = try HTTPURL(validating: url).origin.host
            var response = Response(Pages.leave(to: url, host: host), appName: configuration.appName)
            keep(browser, in: &response)
            return response
        } catch let problem as Problem
            where problem.code != "invalid_redirect" && problem.code != "challenge_required"
        {
            var response = try loginPage(fields, problem: problem.message)
            response.status = problem.status
            if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
            return response
        }
    }

    /// The end of a login: the server of the account sends the browser here.
    private func callback(_ request: Request, _ context: ServerContext) async throws -> Response {
        let client = clients.client(of: request, context)
        let (query, browser) = (request.uri.query ?? "", ServerCookie.login.value(in: request))
        let completed: (account: AppSession.Entry, end: Logins.End)
        do {
            completed = try await logins.complete(query, browser: browser)
        } catch let problem as Problem {
            if problem.code == Problem.loginExpired.code,
                let end = try await logins.finished(query, browser: browser)
            {
                metrics.add(to: .logins, [("result", "opened_again")])
                return Response(Pages.finished(end), appName: configuration.appName)
            }
            metrics.add(to: .logins, [("result", problem.code)])
            await audit.write(.loginFailed, client: client, reason: problem.code)
            if let gate, let url = problem.site {
                return try await siteLogin(url, request, gate, problem: problem)
            }
            guard let redirect = problem.redirect else { throw problem }
            return Response(seeOther: redirect)
        }
        metrics.add(to: .logins, [("result", "completed")])
        let account = completed.account
        var response: Response
        let end: Logins.Finished
        switch completed.end {
        case .app(let name, let redirect):
            await audit.write(.login, did: account.did, account: account.id, app: name, client: client)
            response = Response(seeOther: redirect)
            end = .app
        case .browser(let path):
            let earlier = try await browserSession(request)
            let grant = try await sessions.begin(account, in: RegisteredApp.browser, adding: earlier)
            await audit.write(
                .login, did: account.did, account: account.id, session: grant.id, app: RegisteredApp.browser,
                client: client)
            response = Response(seeOther: path)
            give(grant, to: &response)
            end = .page
        case .site(let url):
            let grant: Sessions.Grant
            (response, grant) = try await enter(url, account, request)
            // The session has an entry of its own, which its logout names.
            await audit.write(
                .login, did: account.did, account: grant.session.active, session: grant.id,
                app: RegisteredApp.sites, client: client)
            end = .site
        }
        do { try await logins.note(end, of: query, browser: browser) } catch {
            // The login itself is done.
            context.logger.warning("the end of a login was not noted: \(error)")
        }
        return response
    }

    /// The session that the browser has already; nil if it has none that is good.
    private func browserSession(_ request: Request) async throws -> SessionBook.Found? {
        guard let token = ServerCookie.session.value(in: request) else { return nil }
        do {
            let found = try await sessions.open(token)
            return found.session.app == RegisteredApp.browser ? found : nil
        } catch is Problem {
            return nil
        }
    }

    // MARK: Steps

    private func loginPage(_ parameters: [String: String], problem: String? = nil) throws -> Response {
        _ = try landing(parameters)
        return Response(
            Pages.login(
                Pages.LoginForm(
                    handle: parameters["handle"] ?? "", redirect: parameters["redirect"],
                    challenge: parameters["code_challenge"], problem: problem)),
            appName: configuration.appName)
    }

    /// Begins a login of a page, bound to the browser and, if it is for an app, to the app's challenge too.
    private func begin(
        _ handle: String, _ parameters: [String: String], _ request: Request, _ context: ServerContext
    ) async throws -> (url: String, browser: String) {
        let landing = try landing(parameters)
        let browser = loginCookie(request)
        return (try await begin(handle, landing, browser, request, context), browser)
    }

    func begin(
        _ handle: String, _ landing: Logins.Landing, _ browser: String?, _ request: Request,
        _ context: ServerContext
    ) async throws -> String {
        do {
            let url = try await admission.admit(clients.client(of: request, context)) {
                try await logins.begin(handle, landing: landing, browser: browser)
            }
            metrics.add(to: .logins, [("result", "begun")])
            return url
        } catch let problem as Problem {
            metrics.add(to: .logins, [("result", problem.code)])
            throw problem
        }
    }

    func handle(_ text: String?) throws -> String {
        let handle = (text ?? "").filter { !$0.isWhitespace }
        guard !handle.isEmpty else { throw Problem(.badRequest, "handle_required", "Handle is required") }
        guard handle.utf8.count <= 2048 else {
            throw Problem(
                .badRequest, "invalid_handle", "This is no handle. Write one like alice.bsky.social.")
        }
        return handle.hasPrefix("@") ? String(handle.dropFirst()) : handle
    }

    private func landing(_ parameters: [String: String]) throws -> Logins.Landing {
        try landing(
            redirect: parameters["redirect"], challenge: parameters["code_challenge"],
            method: parameters["code_challenge_method"], isApp: parameters["mobile"] == "true")
    }

    /// Where a login ends. An app has a challenge and one of its own addresses, a page has a path of this server.
    private func landing(
        redirect: String?, challenge: String?, method: String?, isApp: Bool
    ) throws -> Logins.Landing {
        var wrong = Problem(
            .badRequest, "invalid_redirect",
            "The redirect is neither a path of this site nor an address of a registered app. Check `redirects` in the "
                + "configuration of the server.")
        wrong.forPeople = Self.brokenLink
        let app = configuration.apps.first { app in redirect.map(app.redirects.contains) ?? false }
        guard isApp || challenge != nil || app != nil else {
            let path = redirect ?? "/accounts"
            guard LocalPath.isAcceptable(path) else { throw wrong }
            return .page(path: path)
        }
        guard let challenge, Logins.isChallenge(challenge), method ?? "S256" == "S256" else {
            var missing = Problem(
                .badRequest, "challenge_required",
                "A login of an app needs code_challenge, made with S256 (RFC 7636). Make one for each login.")
            missing.forPeople = Self.brokenLink
            throw missing
        }
        if let app, let redirect {
            return .app(name: app.name, redirect: redirect, challenge: challenge, adding: nil)
        }
        guard redirect == nil, configuration.apps.count == 1, let only = configuration.apps.first,
            only.redirects.count == 1
        else { throw wrong }
        return .app(name: only.name, redirect: only.redirects[0], challenge: challenge, adding: nil)
    }

    private static let brokenLink =
        "This link to the login is broken, so nothing was started. Go back to the page or the app that you came from, and try "
        + "again."

    /// The browser's secret for logins. Several tabs share one, so that each can complete its login.
    func loginCookie(_ request: Request) -> String {
        guard let present = ServerCookie.login.value(in: request), Base64URL.decode(present)?.count == 32
        else {
            return RandomText.make()
        }
        return present
    }

    func keep(_ browser: String, in response: inout Response) {
        response.set(.login, browser, seconds: Int(Logins.lifetime))
    }
}

private struct StartRequest: Decodable {
    let handle: String?
    let redirect: String?
    let challenge: String?
    let method: String?

    private enum CodingKeys: String, CodingKey {
        case handle, redirect
        case challenge = "code_challenge"
        case method = "code_challenge_method"
    }
}

private struct StartAnswer: Encodable {
    let success = true
    let authUrl: String
    let handle: String
}
