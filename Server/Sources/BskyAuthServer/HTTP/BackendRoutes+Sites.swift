internal import ATPNetworking
internal import ATProtoIdentity
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird

/// The protection of other sites: `/auth` for their proxy, and pages for people.
extension BackendRoutes {
    func addSites(_ gate: SiteGate, to router: Router<ServerContext>) {
        router.get("/auth") { request, _ in try await admit(request, gate) }
        router.get("/auth/login") { request, _ in
            try await siteLogin(try siteAddress(ofLink: request, gate), request, gate)
        }
        router.post("/auth/login") { request, context in try await submitSiteLogin(request, context, gate) }
        router.get("/auth/logout") { request, _ in
            let logins = try await gate.logins(request)
            var names: [String] = []
            for did in logins.people { names.append(await gate.person(did).name) }
            let isLoggedOut = names.isEmpty && logins.areAll
            return Response(
                isLoggedOut ? Pages.loggedOutOfSites([]) : Pages.siteLogout(of: names),
                appName: configuration.appName)
        }
        router.post("/auth/logout") { request, _ in try await logOutOfSites(request, gate) }
    }

    private func logOutOfSites(_ request: Request, _ gate: SiteGate) async throws -> Response {
        try request.requireSameOrigin(configuration.baseURL)
        let logins = try await gate.logins(request)
        for found in logins.sessions {
            try await gate.sessions.logOutAll(of: found)
            await audit(.logout, found.session.activeEntry, Holder(found: found, isBrowser: true))
        }
        // The cookies that were not looked at may be good. Without them, the person could not end what they open.
        guard !logins.sessions.isEmpty || logins.areAll else {
            throw Problem(
                .badRequest, "invalid_request",
                "This browser has too many cookies to find your login. Delete the cookies of "
                    + "\(gate.settings.cookieDomain) in this browser. Then log in and log out again.")
        }
        var response = Response(
            Pages.loggedOutOfSites(gate.settings.hosts.map(\.description)), appName: configuration.appName)
        removeOtherSiteCookies(gate, from: &response)
        response.remove(.site, domain: gate.settings.cookieDomain)
        return response
    }

    /// Removes the cookies of the sites' name that are not for `cookie_domain`. Browsers would send them beside the right one.
    private func removeOtherSiteCookies(_ gate: SiteGate, from response: inout Response) {
        response.remove(.site)
        for domain in gate.settings.otherDomains(above: configuration.baseURL.host) {
            response.remove(.site, domain: domain)
        }
    }

    /// Tells a proxy whether a request may pass, and whose it is. The answer always has both fields, so that a proxy which copies
    /// them replaces what the client has sent.
    private func admit(_ request: Request, _ gate: SiteGate) async throws -> Response {
        guard let person = try await gate.person(request) else { throw Problem.noSession }
        guard try gate.admits(person) else {
            throw Problem(.forbidden, "not_a_member", "This account may not open this site.")
        }
        return Response(
            status: .accepted,
            headers: [
                .authDID: person.did, .authHandle: person.handle?.description ?? "handle.invalid",
            ])
    }

    /// The form, with what is known of the person: who is logged in already comes here because the account is no member.
    ///
    /// - Parameters:
    ///   - url: the page of a site that the login leads to.
    ///   - handle: what the person has written.
    func siteLogin(
        _ url: String, _ request: Request, _ gate: SiteGate, handle: String = "", problem: Problem? = nil
    ) async throws -> Response {
        let logins = try await gate.logins(request)
        var refusal = logins.problem(in: gate.settings.cookieDomain)
        if let did = logins.person {
            let person = await gate.person(did)
            if try !gate.admits(person) {
                refusal = "\(person.name) may not open this site. Log in with another account."
            }
        }
        var response = Response(
            Pages.login(
                Pages.LoginForm(
                    action: "/auth/login", handle: handle, site: url, problem: problem?.message ?? refusal)),
            appName: configuration.appName)
        if let problem {
            response.status = problem.status
            if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
        }
        return response
    }

    private func submitSiteLogin(
        _ request: Request, _ context: ServerContext, _ gate: SiteGate
    ) async throws -> Response {
        try request.requireSameOrigin(configuration.baseURL)
        let fields = try await request.form()
        let site = try siteAddress(fields["rd"], gate)
        do {
            let browser = loginCookie(request)
            let url = try await begin(
                try handle(fields["handle"]), .site(url: site), browser, request, context)
            var response = Response(
                Pages.leave(to: url, host: try HTTPURL(validating: url).origin.host),
                appName: configuration.appName)
            keep(browser, in: &response)
            return response
        } catch let problem as Problem {
            return try await siteLogin(site, request, gate, handle: fields["handle"] ?? "", problem: problem)
        }
    }

    /// The end of a login for a site.
    func enter(
        _ url: String, _ account: AppSession.Entry, _ request: Request
    ) async throws -> (Response, Sessions.Grant) {
        // The tokens have shown who the person is. An account that can't be logged out now has no owner, so it may be later.
        try await sessions.end(account)
        guard let gate else { throw Problem.notFound }
        let site = try siteAddress(url, gate)
        var response = Response(
            Pages.enter(site, host: try HTTPURL(validating: site).origin.host),
            appName: configuration.appName)
        let grant = try await gate.begin(account.did, replacing: request)
        removeOtherSiteCookies(gate, from: &response)
        response.set(
            .site, grant.text, seconds: Int(grant.expiry.timeIntervalSince(gate.sessions.now())),
            domain: gate.settings.cookieDomain)
        return (response, grant)
    }

    /// The page that `rd` of a link names. It is the last parameter, and may have `&`, because nginx can't escape it.
    private func siteAddress(ofLink request: Request, _ gate: SiteGate) throws -> String {
        let query = request.uri.query ?? ""
        if query.hasPrefix("rd=https://") { return try siteAddress(String(query.dropFirst(3)), gate) }
        return try siteAddress(try request.query()["rd"], gate)
    }

    private func siteAddress(_ text: String?, _ gate: SiteGate) throws -> String {
        guard let address = text.flatMap(gate.settings.address) else {
            var wrong = Problem(
                .badRequest, "invalid_redirect",
                text == nil
                    ? "This page is for logins of other sites. Open the site that you want to see: it leads you here."
                    : "This address is not on a protected site. Open the site that you want to see, and log in from there."
            )
            wrong.wayOn = .nowhere
            throw wrong
        }
        return address
    }
}
