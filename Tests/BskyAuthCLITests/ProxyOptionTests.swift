import ATProtoGateway
import ATProtoIdentity
import ArgumentParser
import BskyAuthLoopback
import Testing

@testable import BskyAuthCLI

@Suite("Options of exec and proxy") struct ProxyOptionTests {
    private func failure(_ arguments: String...) throws -> Failure? {
        let command = try BskyAuth.parseAsRoot(arguments)
        return #expect(throws: Failure.self, "\(arguments)") {
            if let command = command as? ExecCommand {
                _ = try command.variables()
                _ = try command.access.limits()
            }
            if let command = command as? ProxyCommand { _ = try command.place() }
        }
    }

    @Test(
        "--set takes the names that shells take",
        arguments: ["=url", "1A=url", "A-B=url", "A B=url", "Ä=url", "A.B=url"])
    func names(_ text: String) throws {
        #expect(
            try failure("exec", "--set", text, "--", "true")?.message.contains("no name of a variable")
                == true)
    }

    @Test("--set leaves the names of bskyauth alone, and takes three values")
    func values() throws {
        let own = try failure("exec", "--set", "BSKYAUTH_PROXY_URL=url", "--", "true")
        #expect(own?.status == .usage && own?.message.contains("BSKYAUTH_") == true)
        for text in ["A", "A=", "A=password", "A=url=url"] {
            #expect(try failure("exec", "--set", text, "--", "true")?.message.contains("NAME=url") == true)
        }
        let line = ["exec", "--set", "_a1=url", "--set", "B=secret", "--", "true"]
        let command = try #require(try BskyAuth.parseAsRoot(line) as? ExecCommand)
        #expect(try command.variables().map(\.name) == ["_a1", "B"])
    }

    @Test(
        "a program gets no variable that may hold a login",
        arguments: [
            "BSKY_PASSWORD", "BLUESKY_PASSWORD", "ATP_PASSWORD", "ATPROTO_PASSWORD", "BSKY_APP_PASSWORD",
            "BLUESKY_APP_PASSWORD", "ATP_USERNAME", "ATP_AUTH_HANDLE", "ATP_AUTH_PASSWORD", "BLUESKY_HANDLE",
            "BSKY_HANDLE", "GOAT_USERNAME", "GOAT_PASSWORD", "bsky_password", "BSKY_APPPASS",
            "BSKY_IDENTIFIER",
            "ATPROTO_APP_PASSWORD", "BSKY_ACCESS_TOKEN", "BSKY_SESSION_STRING", "PDS_ADMIN_PASSWORD",
            "BSKY_APIKEY", "BSKY_PASSWORD2", "ATP_TOKENS", "BSKY_PASS", "BSKY_SECRET_1",
            "ATPROTO_PRIVATE_KEY_FILE",
            "GOAT_ACCESSJWT", "BSKY_AUTH", "BLUESKY_OAUTH", "PDS_JWT_SECRET", "BSKY_CREDENTIALS",
            "BSKY_CREDS", "BSKY_PASSCODE", "BSKY_TOKENSTRING", "BSKY_PASSWORDV2", "BSKY_PASSWORDPROD",
            "BSKY_PRIVATEKEYHEX", "BSKY_AUTHDATA", "BSKY_AUTHENTICATION", "BSKY_PWORD", "BSKY_KEYFILE",
            "BSKY_AUTHOR_TOKEN", "ATP_KEYWORDSECRET", "BLUESKY_PW", "ATP_REFRESHJWT",
        ])
    func credentials(name: String) {
        #expect(ChildSettings.inherited([name: "x"])[name] == nil)
    }

    @Test(
        "a program gets the variables that hold no login",
        arguments: [
            "BSKY_PDS_URL", "ATP_PDS_HOST", "PASSWORD", "PATH", "BSKYAUTH_ACCOUNT", "PDS_HOST",
            "BSKY_KEYWORDS", "BSKY_AUTHOR", "BSKY_TOKENIZER", "BLUESKY_PASSIVE", "ATP_PASSED",
            "BSKY_USER_AGENT", "BSKY_LIST_AUTHORS",
        ])
    func others(name: String) {
        #expect(ChildSettings.inherited([name: "x"])[name] == "x")
    }

    @Test("--listen says which part is wrong")
    func listening() throws {
        for text in ["99999", "65536", "abc", "", "-1", "+1", " 1", "1:2", "\u{663}"] {
            let failure = try failure("proxy", "--listen", "127.0.0.1:\(text)")
            #expect(failure?.message.contains("is no port") == true, "\(text)")
        }
        for text in ["localhost:1", "0.0.0.0:1", "2480", "127.0.0.1", "[::1]:1"] {
            #expect(
                try failure("proxy", "--listen", text)?.message.contains("no other address") == true,
                "\(text)")
        }
        let command = try #require(
            try BskyAuth.parseAsRoot(["proxy", "--listen", "127.0.0.1:65535"]) as? ProxyCommand)
        #expect(try command.place() == .port(65535))
    }

    @Test(
        "--allow says which part of a permission is wrong, and shows the form of its kind",
        arguments: [
            ("repo:", "can't be read", "repo:"), ("repo?action=create", "no collection", "repo:"),
            ("repo:post", "wrong collection", "repo:"),
            ("repo:*?action=read", "create, update or delete", "repo:"),
            ("repo:*?actions=create", "\"actions\"", "repo:"),
            ("repo:*?collection=a.b.c", "more than one collection", "repo:"),
            ("blob:image", "image/*", "blob:"),
            ("rpc:app.bsky.feed.getTimeline", "no aud", "rpc:"),
            ("rpc:*?aud=*", "* with a named method", "rpc:"),
            ("rpc:*?aud=did:web:a.example", "DID#SERVICE", "rpc:"),
        ])
    func permissions(_ text: String, _ reason: String, _ form: String) throws {
        let message = try #require(try failure("exec", "--allow", text, "--", "true")?.message)
        #expect(message.contains(reason) && message.contains("the form is \(form)"), "\(message)")
    }

    @Test(
        "--allow says which kinds it takes",
        arguments: ["account:email", "identity:*", "rep:*"])
    func kinds(_ text: String) throws {
        #expect(
            try failure("exec", "--allow", text, "--", "true")?.message.contains(
                "repo:, blob:, rpc: or include:")
                == true)
    }

    @Test("a method that no lexicon has is shown with the one that was meant")
    func idle() throws {
        let nsid = try NSID(validating: "app.bsky.feed.getTimelin")
        #expect(
            ErrorPresenter.idleRule(nsid.description, .unknownMethod(nsid))
                .hasSuffix("did you mean app.bsky.feed.getTimeline?"))
    }
}
