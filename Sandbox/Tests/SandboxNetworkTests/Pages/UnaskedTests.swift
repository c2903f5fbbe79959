import Testing

@testable import SandboxNetwork

@Suite("Sign-in without a question")
struct UnaskedTests {
    @Test("a confidential client gets a code at once when the scope was granted before")
    func approved() async throws {
        try await afterConsent { client, browser in
            let verifier = TestKey.random()
            let answer = try await open(client, browser, [:], verifier: verifier)
            let code = try #require(answer.redirectParameters.first { $0.name == "code" }?.value)
            #expect(try await client.exchange(.init(code: code, verifier: verifier)).status == 200)
        }
    }

    @Test("and with prompt=none, also without a hint", arguments: ["carol.pds.test", nil])
    func silent(hint: String?) async throws {
        try await afterConsent { client, browser in
            let answer = try await open(client, browser, ["prompt": "none", "login_hint": hint])
            #expect(answer.redirectParameters.contains { $0.name == "code" })
        }
    }

    @Test(
        "with another hint, or none, or a prompt it does not",
        arguments: [
            ["login_hint": "dave.pds.test"], ["login_hint": nil], ["prompt": "login"],
            ["prompt": "select_account"], ["prompt": "create"],
        ] as [[String: String?]])
    func asked(edit: [String: String?]) async throws {
        try await afterConsent { client, browser in
            let page = try await open(client, browser, edit)
            #expect(page.status == 200 && page.text.contains("name=\"password\""))
        }
    }

    @Test("prompt=consent and a new scope ask for consent, without the password")
    func consent() async throws {
        try await afterConsent(scope: "atproto") { client, browser in
            for edit in [["prompt": "consent"], ["scope": "atproto transition:generic"]] {
                let page = try await open(client, browser, edit)
                #expect(page.status == 200 && page.text.contains("value=\"accept\""))
            }
        }
    }

    @Test("another browser, and one that signed in over a week ago, are asked for the password")
    func password() async throws {
        try await afterConsent { client, browser in
            let stranger = try await open(client, TestBrowser(client.sandbox), [:])
            #expect(stranger.text.contains("name=\"password\""))
            try await client.sandbox.advanceClock("8d")
            #expect(try await open(client, browser, [:]).text.contains("name=\"password\""))
        }
    }

    @Test("prompt=none says what is missing")
    func refused() async throws {
        try await afterConsent(scope: "atproto") { client, browser in
            func error(_ browser: TestBrowser, _ edit: [String: String?]) async throws -> String? {
                let answer = try await open(client, browser, edit.merging(["prompt": "none"]) { $1 })
                return answer.redirectParameters.first { $0.name == "error" }?.value
            }
            #expect(try await error(TestBrowser(client.sandbox), [:]) == "login_required")
            #expect(try await error(browser, ["login_hint": "dave.pds.test"]) == "login_required")
            #expect(
                try await error(browser, ["scope": "atproto transition:generic"]) == "consent_required")
            let page = try await open(client, browser, ["login_hint": "dave.pds.test"])
            _ = try await browser.signIn(page, username: "dave.pds.test", password: "other")
            #expect(try await error(browser, ["login_hint": nil]) == "account_selection_required")
            try await client.sandbox.advanceClock("8d")
            #expect(try await error(browser, ["login_hint": "carol.pds.test"]) == "login_required")
        }
    }

    @Test("a public client is always asked, and may not be silent", .covers("L10"))
    func publicClient() async throws {
        try await afterConsent { client, browser in
            try await client.sandbox.register(HostedClient.publicDocument())
            var client = client
            client.assertion = nil
            #expect(try await open(client, browser, [:]).status == 200)
            let silent = try await client.push(["prompt": "none"], verifier: TestKey.random())
            #expect(silent.status == 400)
        }
    }

    @Test("a consent that was refused is not remembered")
    func rejected() async throws {
        try await withPages { client, browser in
            let page = try await browser.signIn(try await open(client, browser, [:]))
            _ = try await browser.submit(page, [("decision", "reject")])
            #expect(try await open(client, browser, [:]).text.contains("value=\"accept\""))
        }
    }

    @Test("a deactivated account gets no code")
    func deactivated() async throws {
        try await afterConsent { client, browser in
            _ = try await client.sandbox.post(
                "/_sandbox/accounts/update", json: ["handle": "carol.pds.test", "active": false])
            let answer = try await open(client, browser, [:])
            #expect(answer.redirectParameters.contains { $0.name == "error" && $0.value == "access_denied" })
        }
    }

    @Test("cocoon and Cirrus ask every time", arguments: ["cocoon", "cirrus"])
    func others(server: String) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await afterConsent(profile) { client, browser in
            let page = try await open(client, browser, [:])
            #expect(page.status == 200)
        }
    }

    @Test(
        "the answer comes in the part of the URL that was asked for",
        arguments: ServerProfile.all.map(\.name), ["fragment", "query"])
    func responseMode(server: String, mode: String) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withPages(profile) { client, browser in
            let page = try await open(client, browser, ["response_mode": mode])
            let done = try await browser.submit(try await browser.signIn(page), [("decision", "accept")])
            let mark = mode == "fragment" ? "#" : "?"
            #expect(done.header("location")?.hasPrefix(HostedClient.redirectURI + mark) == true)
            #expect(done.redirectParameters.contains { $0.name == "code" })
        }
    }

    private func open(
        _ client: ScriptedClient, _ browser: TestBrowser, _ edit: [String: String?],
        verifier: String = TestKey.random()
    ) async throws -> WireAnswer {
        try await browser.open(client.page(of: try await client.push(edit, verifier: verifier)))
    }

    private func withPages(
        _ profile: ServerProfile = .official,
        _ body: @escaping @Sendable (ScriptedClient, TestBrowser) async throws -> Void
    ) async throws {
        try await withSandbox({
            $0.approvesUnasked = false
            $0.profile = profile
        }) { sandbox in
            let client = ScriptedClient.confidential(sandbox)
            try await client.register()
            try await body(client, TestBrowser(sandbox))
        }
    }

    /// The same after a login with consent in this browser.
    private func afterConsent(
        _ profile: ServerProfile = .official,
        scope: String = "atproto transition:generic",
        _ body: @escaping @Sendable (ScriptedClient, TestBrowser) async throws -> Void
    ) async throws {
        try await withPages(profile) { client, browser in
            var client = client
            client.scope = scope
            let page = try await browser.signIn(try await open(client, browser, [:]))
            _ = try await browser.submit(page, [("decision", "accept")])
            try await body(client, browser)
        }
    }
}
