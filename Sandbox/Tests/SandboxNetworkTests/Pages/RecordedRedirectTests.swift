import Testing

@testable import SandboxNetwork

/// The redirects of the authorization page (2xx).
@Suite("The authorization page redirects as recorded")
struct RecordedRedirectTests {
    private static let servers = ServerProfile.all.map(\.name)

    @Test("200: accepted", .covers("R37"), arguments: servers)
    func accepted(server: String) async throws {
        try await check(200, server) { browser, page, _ in
            try await browser.submit(try await browser.signIn(page), [("decision", "accept")])
        }
    }

    @Test("201: rejected", .covers("R39"), arguments: servers)
    func rejected(server: String) async throws {
        try await check(201, server) { browser, page, _ in
            try await browser.submit(try await browser.signIn(page), [("decision", "reject")])
        }
    }

    @Test("202: accepted, parameters in the fragment", .covers("R37"), arguments: servers)
    func fragment(server: String) async throws {
        try await check(202, server, ["response_mode": "fragment"]) { browser, page, _ in
            try await browser.submit(try await browser.signIn(page), [("decision", "accept")])
        }
    }

    @Test("205: opened in a second browser", .covers("R31"))
    func secondBrowser() async throws {
        try await check(205) { _, _, stage in
            try await TestBrowser(stage.client.sandbox).open(stage.path)
        }
    }

    @Test("206: opened again after it was approved", .covers("R31"))
    func afterApproval() async throws {
        try await check(206) { browser, page, stage in
            _ = try await browser.submit(try await browser.signIn(page), [("decision", "accept")])
            return try await TestBrowser(stage.client.sandbox).open(stage.path)
        }
    }

    @Test("210: opened 312 s after PAR", .covers("R31"))
    func expired() async throws {
        try await withSandbox({ $0.approvesUnasked = false }) { sandbox in
            let client = ScriptedClient(sandbox: sandbox)
            let path = client.page(of: try await client.push(verifier: TestKey.random()))
            try await sandbox.advanceClock("312s")
            try compare(try await TestBrowser(sandbox).open(path), 210, .official, origin: sandbox.origin)
        }
    }

    @Test("220: a request_uri that was never issued gets no redirect", .covers("R32"), arguments: servers)
    func unknown(server: String) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withSandbox({ $0.profile = profile }) { sandbox in
            let recording = try #require(Recording.all(of: profile)[220])
            let url = try #require(recording.json["request"]?["url"]?.string)
            let answer = try await sandbox.get(url.replacing(profile.recordedOrigin, with: ""))
            #expect(answer.status == recording.status)
            #expect(answer.error == recording.body["error"]?.string)
            #expect(
                answer.header("content-type")?.lowercased() == recording.header("content-type")?.lowercased())
            #expect(answer.header("location") == nil)
            if server == "official" { #expect(answer.text.contains("Unknown request_uri")) }
        }
    }

    private struct Opened: Sendable {
        let client: ScriptedClient
        let path: String
    }

    private func check(
        _ number: Int,
        _ server: String = "official",
        _ edit: [String: String?] = [:],
        _ perform: @escaping @Sendable (TestBrowser, WireAnswer, Opened) async throws -> WireAnswer
    ) async throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        try await withSandbox({
            $0.approvesUnasked = false
            $0.profile = profile
        }) { sandbox in
            var client = ScriptedClient(sandbox: sandbox)
            client.clientID = ScriptedClient.exactLoopbackID
            let path = client.page(of: try await client.push(edit, verifier: TestKey.random()))
            let browser = TestBrowser(sandbox)
            let page = try await browser.open(path)
            let answer = try await perform(browser, page, Opened(client: client, path: path))
            try compare(answer, number, profile, origin: sandbox.origin)
        }
    }

    /// Compares status, target and parameters in order. The values of code and state differ in each run.
    private func compare(_ answer: WireAnswer, _ number: Int, _ profile: ServerProfile, origin: String) throws
    {
        let recording = try #require(Recording.all(of: profile)[number])
        let recorded = try #require(recording.redirect)
        #expect(answer.status == recording.status)
        let location = try #require(answer.header("location"))
        guard let mark = recorded.firstIndex(where: { "?#".contains($0) }) else {
            #expect(location == recorded)
            return
        }
        #expect(location.hasPrefix(recorded[...mark]))
        let expected = FormBody(urlencoded: recorded[recorded.index(after: mark)...]).fields
        #expect(answer.redirectParameters.map(\.name) == expected.map(\.name))
        for (ours, theirs) in zip(answer.redirectParameters, expected) {
            switch ours.name {
            case "state": #expect(ours.value == "state-of-the-test")
            case "code":
                #expect(ours.value.hasPrefix("cod-") == profile.tokens.havePrefix)
                #expect(ours.value.count == theirs.value.count)
            case "iss": #expect(ours.value == origin)
            default: #expect(ours.value == theirs.value)
            }
        }
    }
}
