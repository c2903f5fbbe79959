import Testing

@testable import SandboxNetwork

@Suite("The sign-in and consent pages")
struct AuthorizationPageTests {
    @Test("sign-in has the hinted name filled in; consent shows account, client and scopes", .covers("R34"))
    func content() async throws {
        try await onPage { browser, page, client in
            #expect(page.status == 200)
            #expect(page.text.contains("name=\"username\" value=\"carol.pds.test\""))
            let consent = try await browser.signIn(page)
            #expect(consent.status == 200)
            for text in ["carol.pds.test", "transition:generic", HTMLPage.escaped(client.clientID)] {
                #expect(consent.text.contains(text))
            }
        }
    }

    @Test("pages run no scripts, load nothing and cannot be framed")
    func policy() async throws {
        try await onPage { browser, page, _ in
            let policy = try #require(page.header("content-security-policy"))
            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!page.text.contains("<script"))
            let consent = try #require(try await browser.signIn(page).header("content-security-policy"))
            #expect(consent.contains("form-action 'self' http://127.0.0.1:43117;"))
        }
    }

    @Test("a wrong password shows the form again")
    func wrongPassword() async throws {
        try await onPage { browser, page, _ in
            let again = try await browser.signIn(page, password: "wrong")
            #expect(again.status == 200)
            #expect(again.text.contains("Wrong identifier or password"))
            let consent = try await browser.signIn(again)
            #expect(consent.text.contains("value=\"accept\""))
        }
    }

    @Test("what a stranger wrote is escaped")
    func escaping() async throws {
        try await onPage { browser, page, _ in
            let again = try await browser.signIn(
                page, username: "\"><script>alert(1)</script>", password: "x")
            #expect(!again.text.contains("<script>"))
            #expect(again.text.contains("&quot;&gt;&lt;script&gt;"))
        }
    }

    @Test("another account than the hinted one can sign in", .covers("R45"))
    func otherAccount() async throws {
        try await onPage { browser, page, _ in
            let consent = try await browser.signIn(page, username: "@Dave.pds.test", password: "other")
            #expect(consent.text.contains("dave.pds.test"))
        }
    }

    @Test("a form without the page's token, or from another browser, is refused")
    func forgery() async throws {
        try await onPage { browser, page, client in
            let stranger = TestBrowser(client.sandbox)
            #expect(try await stranger.signIn(page).status == 400)
            let forged = try await browser.submit(page, [("csrf", "x"), ("username", "carol.pds.test")])
            #expect(forged.status == 400)
            #expect(forged.text.contains("Invalid CSRF token"))
            let crossSite = try await browser.submit(page, [], headers: [("sec-fetch-site", "cross-site")])
            #expect(crossSite.status == 400)
        }
    }

    @Test("consent without sign-in is refused")
    func consentFirst() async throws {
        try await onPage { browser, page, _ in
            let answer = try await browser.submit(page, [("decision", "accept")])
            #expect(answer.status == 200 && answer.text.contains("Wrong identifier"))
            let direct = page.text.replacing("/oauth/authorize/sign-in", with: "/oauth/authorize/consent")
            let moved = WireAnswer(status: 200, headers: [], body: Array(direct.utf8))
            #expect(try await browser.submit(moved, [("decision", "accept")]).status == 400)
        }
    }

    @Test("fetch metadata that is no navigation is refused; none at all is curl's", .covers("R33"))
    func fetchMetadata() async throws {
        try await withSandbox({ $0.approvesUnasked = false }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let path = client.page(of: try await client.push(verifier: TestKey.random()))
            let cors = try await TestBrowser(sandbox).open(path, headers: [("sec-fetch-mode", "cors")])
            #expect(cors.status == 400)
            let navigation = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
            #expect(try await TestBrowser(sandbox).open(path, headers: navigation).status == 200)
        }
    }

    @Test("auto-approval falls back to the page without a hint and with two accounts")
    func noHint() async throws {
        try await withSandbox { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let pushed = try await client.push(["login_hint": nil], verifier: TestKey.random())
            #expect(try await sandbox.get(client.page(of: pushed)).status == 200)
        }
    }

    @Test("auto-approval takes the only account when there is no hint")
    func onlyAccount() async throws {
        try await withSandbox({ $0.accounts = [.init(handle: "erin.test")] }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let grant = try await client.grant(["login_hint": nil])
            #expect(try await client.exchange(grant).status == 200)
        }
    }

    private func onPage(
        _ body: @escaping @Sendable (TestBrowser, WireAnswer, ScriptedClient) async throws -> Void
    ) async throws {
        try await withSandbox({ $0.approvesUnasked = false }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let browser = TestBrowser(sandbox)
            let pushed = try await client.push(verifier: TestKey.random())
            try await body(browser, try await browser.open(client.page(of: pushed)), client)
        }
    }
}
