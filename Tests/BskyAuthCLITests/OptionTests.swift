import ATProtoSessions
import ATProtoXRPC
import BskyAuthCore
import BskyAuthCovers
import OAuthDPoP
import Testing

@testable import BskyAuthCLI

@Suite("Options") struct OptionTests {
    @Test(
        "lengths of time",
        arguments: [
            ("0", 0), ("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200), ("3d", 259_200), ("1h30m", 5400),
            ("1d2h3m4s", 93_784), ("1m90s", 150),
        ])
    func timeLength(text: String, seconds: Double) throws {
        #expect(try #require(TimeLength(argument: text)).seconds == seconds)
    }

    @Test(
        "a length of time is shown as one would write it",
        arguments: [(0, "0s"), (90, "90s"), (600, "10m"), (7200, "2h"), (90_000, "25h"), (259_200, "3d")])
    func shownTimeLength(seconds: Int, text: String) {
        #expect(TimeLength(.seconds(seconds)).defaultValueDescription == text)
    }

    @Test(
        "what is no length of time",
        arguments: [
            "", "s", "-1", "+1", "1.5h", "1 m", "1w", "10min", "٣s", "1000000001", "99999999999999999999",
            "1h30", "30m1h", "1h1h", "1hm", "h30m",
        ])
    func noTimeLength(text: String) {
        #expect(TimeLength(argument: text) == nil)
    }

    @Test(
        "ports and ranges of them",
        arguments: [
            ("1", 1...1), ("8400", 8400...8400), ("8400-8410", 8400...8410), ("65535", 65535...65535),
        ])
    func ports(text: String, ports: ClosedRange<Int>) {
        #expect(PortRange(argument: text)?.ports == ports)
    }

    @Test(
        "what is no port",
        arguments: [
            "", "0", "65536", "-", "8400-", "-8400", "8410-8400", "1-2-3", "http", "+80", " 80", "8_0",
        ])
    func noPorts(text: String) {
        #expect(PortRange(argument: text) == nil)
    }

    @Test(
        "labels",
        arguments: ["work", "ci-2", "a.b_c+d", "büro", "仕事", "1", String(repeating: "x", count: 64)])
    func label(text: String) throws {
        #expect(try AccountLabel.validated(text) == text)
    }

    @Test(
        "what is no label",
        arguments: [
            "", "-work", "did:plc:abc", "a b", "a/b", "@work", "a\u{1b}b", "a\nb", "a:b", "$x", "a\u{202e}b",
            "😀",
            String(repeating: "x", count: 65),
        ])
    func noLabel(text: String) {
        let failure = #expect(throws: Failure.self) { try AccountLabel.validated(text) }
        #expect(failure?.status == .usage)
        #expect(failure?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    @Test("what a server chose is a value, whatever it begins with", arguments: ["-DBdGX", "--", "-v"])
    func foreignValues(text: String) throws {
        let token = try NamedCommand.parse(["token", "--dpop", "GET", "https://a.example/b", "--nonce", text])
        #expect((token as? TokenCommand)?.nonce == text)
        let call = try NamedCommand.parse(["call", "a.b.c", "--paginate", "--cursor", text])
        #expect((call as? CallCommand)?.paging.cursor == text)
    }

    @Test(
        "refresh --all wants half an hour left of a token, and refresh alone what call wants", .covers("H6"),
        arguments: [
            ("refresh --all", 1800), ("refresh", nil), ("refresh alice.test", nil),
            ("refresh --all --min-ttl 10m", 600), ("refresh --min-ttl 10m", 600),
        ] as [(String, Double?)])
    func minimumLife(line: String, seconds: Double?) throws {
        let command = try NamedCommand.parse(line.split(separator: " ").map(String.init))
        #expect(try #require(command as? RefreshCommand).options.minimumLife == seconds)
    }

    @Test("a scope can't limit an app password, so it is no option of such a login") func appPasswordScope() {
        let line = ["login", "alice.test", "--app-password", "--scope", "repo:app.bsky.feed.post"]
        #expect(throws: (any Error).self) { try NamedCommand.parse(line) }
        #expect(throws: Never.self) { try NamedCommand.parse(Array(line.prefix(3))) }
    }

    @Test(
        "scopes that no server can grant are refused",
        arguments: [
            "repo:foo", "repo", "rpc:app.bsky.feed.getTimeline", "rpc:*?aud=*", "blob:image", "account:name",
            "identity:did", "include:x", "repo:app.bsky.feed.post?x=y", "atpro\"to", "é", "somethingnew",
            "include:app.bsky.authNothing", "include:com.example.auth?aud=*",
        ])
    func scope(text: String) throws {
        let refusal = #expect(throws: ScopeRefusal.self) { try ScopeOption.check(Scope("atproto \(text)")) }
        let failure = try #require(refusal?.failure)
        #expect(
            failure.status == .usage
                && failure.message.contains("\"\(text.escapedForTerminal)\" is not valid"))
        #expect(failure.hint == "correct it (bskyauth help login), or add --no-check to ask for it anyway")
    }

    @Test("a refused scope is shown with its right form, and the next step has it")
    func corrected() throws {
        let scope = Scope("atproto include:app.bsky.authViewAll blob:*/*")
        let refusal = try #require(
            #expect(throws: ScopeRefusal.self) { try ScopeOption.check(scope) })
        let form = "include:app.bsky.authViewAll?aud=did:web:api.bsky.app%23bsky_appview"
        #expect(refusal.nextScopes == [form, "blob:*/*"])
        #expect(refusal.failure.message.hasSuffix("needs an aud that names a service: \(form)"))
        #expect(refusal.failure.hint == "bskyauth login HANDLE")
    }

    @Test("every fault of a scope is named, and a next step has none of them")
    func severalFaults() throws {
        func refusal(_ text: String) throws -> ScopeRefusal {
            try #require(#expect(throws: ScopeRefusal.self) { try ScopeOption.check(Scope(text)) })
        }
        let set = "include:app.bsky.authViewAll"
        let one = try refusal("atproto \(set) repo:app.bsky.*")
        #expect(
            one.nextScopes == nil && one.failure.hint?.hasPrefix("correct it (bskyauth help login)") == true)
        #expect(one.failure.message.contains("\"\(set)\" is not valid: "))
        #expect(one.failure.message.contains("; the scope \"repo:app.bsky.*\" is not valid: "))
        let both = try refusal("atproto \(set) rpc:app.bsky.feed.getLikes?aud=did:web:api.bsky.app")
        let view = "aud=did:web:api.bsky.app%23bsky_appview"
        #expect(both.nextScopes == ["\(set)?\(view)", "rpc:app.bsky.feed.getLikes?\(view)"])
        // There is no such set, whatever its audience.
        #expect(try refusal("include:app.bsky.authNothing?aud=*").nextScopes == nil)
        #expect(try refusal("a:1 b:2 c:3 d:4").failure.message.hasSuffix("; and 1 more"))
    }

    @Test("scopes that a server may know pass, with what is not granted of them")
    func knownScopes() throws {
        let remarks = try ScopeOption.check(
            Scope(
                "atproto transition:generic transition:chat.bsky repo:app.bsky.feed.post?action=create repo:* "
                    + "blob:*/* rpc:app.bsky.feed.getTimeline?aud=* include:com.example.auth "
                    + "include:app.bsky.authCreatePosts"))
        #expect(
            remarks == [
                "include:com.example.auth: its permissions are not known here",
                "include:app.bsky.authCreatePosts: permission 1 of the set grants nothing, because it needs an aud, and "
                    + "the scope has none",
            ])
    }

    @Test("lines about scopes have an end")
    func bounded() throws {
        let methods = (1...100).map { "lxm=com.example.calendar.list\($0)" }.joined(separator: "&")
        let long = "rpc?\(methods)&aud=*"
        let parts = try (1...9).map {
            try PermissionScope(validating: "repo:com.example.event\($0)?action=create")
        }
        let lines = ScopeText.missing(
            Array(repeating: MissingScope(value: long, parts: []), count: 30)
                + [MissingScope(value: "include:com.example.auth", parts: parts)])
        #expect(lines.count == 2 && lines.allSatisfy { $0.count < 900 })
        #expect(lines.first?.hasSuffix("… and 25 more") == true)
        #expect(lines.last?.hasSuffix("repo:com.example.event5?action=create and 4 more") == true, "\(lines)")
    }
}
