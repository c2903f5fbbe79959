import Foundation

/// The pages in the browser: sign-in, consent, and the redirect back to the client.
///
/// The form fields are stable; scripts post them:
/// - `POST /oauth/authorize/sign-in`: `csrf`, `request_uri`, `username`, `password`
/// - `POST /oauth/authorize/consent`: `csrf`, `request_uri`, `decision` (`accept` or `reject`)
///
/// `csrf` must equal the cookie `csrf-token`; the cookie `dev-id` names the browser. Both come with the page
/// at `authorization_endpoint`.
extension AuthorizationServer {
    /// The authorization endpoint (RFC 6749 §4.1.1 with RFC 9126 §4).
    func authorize(_ exchange: Exchange) async -> Answer {
        if let refusal = Self.refusedFetch(exchange, expecting: "navigate") { return refusal }
        let browser = Browser(exchange)
        guard let clientID = exchange.query["client_id"], let uri = exchange.query["request_uri"] else {
            return errorPage(
                "invalid_request",
                "A client_id and a request_uri from the pushed authorization "
                    + "request endpoint are required", browser)
        }
        exchange.note { $0.clientID = clientID }
        switch await state.open(uri, clientID: clientID, device: browser.device) {
        case .unknown:
            if let words = profile.authorizationWords[.requestUnknown] { return words.answer(about: uri) }
            return errorPage("invalid_request", "Unknown request_uri", browser)
        case .redirect(let redirect):
            return answer(redirect, browser)
        case .signIn(let request):
            if let answer = await unasked(request, browser, exchange) { return answer }
            if approvesUnasked, let account = obviousAccount(for: request) {
                exchange.note { $0.account = account.did }
                await state.signIn(account, to: uri)
                if let redirect = await decide(uri, for: account, accept: true) {
                    return answer(redirect, browser)
                }
            }
            return signInPage(request, browser, username: username(for: request), wrongPassword: false)
        case .consent(let request, let account):
            exchange.note { $0.account = account.did }
            return consentPage(request, account, browser)
        }
    }

    func signIn(_ exchange: Exchange) async -> Answer {
        await submitted(exchange) { form, request, browser in
            let username = (form["username"] ?? "").trimmingCharacters(in: .whitespaces)
            let name = username.hasPrefix("@") ? String(username.dropFirst()) : username
            guard let account = accounts.find(name), account.password == form["password"] else {
                return signInPage(request, browser, username: username, wrongPassword: true)
            }
            exchange.note { $0.account = account.did }
            await state.signIn(account, to: request.uri)
            return consentPage(request, account, browser)
        }
    }

    func consent(_ exchange: Exchange) async -> Answer {
        await submitted(exchange) { form, request, browser in
            exchange.note { $0.account = request.account?.did }
            let accept = form["decision"] == "accept"
            guard accept || form["decision"] == "reject", !accept || request.account != nil else {
                return errorPage("invalid_request", "Sign in and choose first", browser)
            }
            guard let redirect = await decide(request.uri, for: request.account, accept: accept) else {
                return errorPage("invalid_request", "Unknown request_uri", browser)
            }
            return answer(redirect, browser)
        }
    }

    /// Approves or rejects a request. A deactivated account gets no code.
    func decide(
        _ uri: String, for account: Account?, accept: Bool
    ) async -> AuthorizationRedirect? {
        if accept, let account, !accounts.isActive(account) {
            return await state.refuse(uri, "This account has been deactivated")
        }
        return await state.decide(uri, accept: accept)
    }

    /// Checks a form post: same browser, same page, a request that is still open.
    private func submitted(
        _ exchange: Exchange,
        _ handle: (FormBody, AuthorizationRequest, Browser) async -> Answer
    ) async -> Answer {
        let browser = Browser(exchange)
        if let site = exchange.header("sec-fetch-site"), site != "same-origin" {
            return errorPage("invalid_request", "Forbidden sec-fetch-site header \"\(site)\"", browser)
        }
        let form: FormBody
        do throws(OAuthFailure) {
            form = try await self.form(of: exchange)
        } catch {
            return errorPage(error.code, error.description, browser)
        }
        guard browser.isKnown, form["csrf"] == browser.csrf else {
            return errorPage("invalid_request", "Invalid CSRF token", browser)
        }
        let uri = form["request_uri"] ?? ""
        let clientID = await state.requests[uri]?.parameters.client.clientID ?? ""
        exchange.note { $0.clientID = clientID.isEmpty ? nil : clientID }
        switch await state.open(uri, clientID: clientID, device: browser.device) {
        case .unknown: return errorPage("invalid_request", "Unknown request_uri", browser)
        case .redirect(let redirect): return answer(redirect, browser)
        case .signIn(let request), .consent(let request, _): return await handle(form, request, browser)
        }
    }

    /// Refuses Fetch metadata that is not a navigation. Requests without it are accepted, for curl (`protocol:R33`).
    private static func refusedFetch(_ exchange: Exchange, expecting mode: String) -> Answer? {
        for (name, allowed) in [("sec-fetch-mode", [mode]), ("sec-fetch-dest", ["document"])] {
            if let value = exchange.header(name), !allowed.contains(value) {
                let text =
                    "Forbidden \(name) header \"\(value)\" (expected \(allowed.joined(separator: ", ")))"
                return HTMLPage.error(code: "invalid_request", description: text).answer(status: 400)
            }
        }
        return nil
    }

    /// The account that is approved without asking: the one of `login_hint`, or the only one.
    private func obviousAccount(for request: AuthorizationRequest) -> Account? {
        if let hint = request.parameters.loginHint { return accounts.find(hint) }
        let all = accounts.all
        return all.count == 1 ? all[0] : nil
    }

    private func username(for request: AuthorizationRequest) -> String {
        guard let hint = request.parameters.loginHint else { return "" }
        return accounts.find(hint)?.handle ?? hint
    }

    private func signInPage(
        _ request: AuthorizationRequest,
        _ browser: Browser,
        username: String,
        wrongPassword: Bool
    ) -> Answer {
        let page = HTMLPage.signIn(
            clientName: request.parameters.client.name,
            issuer: issuer,
            csrf: browser.csrf,
            requestURI: request.uri,
            username: username,
            wrongPassword: wrongPassword
        )
        return page.answer(status: 200, cookies: browser.cookies(secure: isSecure))
    }

    func consentPage(_ request: AuthorizationRequest, _ account: Account, _ browser: Browser)
        -> Answer
    {
        let page = HTMLPage.consent(
            client: request.parameters.client,
            account: account,
            scope: request.parameters.scope,
            redirectURI: request.parameters.redirectURI,
            csrf: browser.csrf,
            requestURI: request.uri
        )
        return page.answer(status: 200, cookies: browser.cookies(secure: isSecure))
    }

    private func errorPage(_ code: String, _ description: String, _ browser: Browser) -> Answer {
        HTMLPage.error(code: code, description: description)
            .answer(status: 400, cookies: browser.cookies(secure: isSecure))
    }

    /// A redirect to the client, or a page whose form posts to it (`response_mode=form_post`).
    func answer(_ redirect: AuthorizationRedirect, _ browser: Browser) -> Answer {
        if redirect.mode == "form_post" {
            return HTMLPage.formPost(redirect).answer(status: 200, cookies: browser.cookies(secure: isSecure))
        }
        var answer = Answer(
            status: profile.pages.status,
            headers: ["location": redirect.location, "cache-control": "no-store", "pragma": "no-cache"]
        )
        for cookie in browser.cookies(secure: isSecure) { answer.headers.add("set-cookie", cookie) }
        return answer
    }

    private var isSecure: Bool { issuer.hasPrefix("https://") }
}
