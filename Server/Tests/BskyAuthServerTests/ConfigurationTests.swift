import ATPNetworking
import Testing

@testable import BskyAuthServer

@Suite struct ConfigurationTests {
    private static let shortest = """
        base_url = "https://auth.example.com"
        app_name = "Example"
        """

    private func read(_ text: String) throws -> Configuration {
        try ConfigurationReader.read(Self.shortest + "\n" + text, credentials: nil)
    }

    @Test("two keys are enough") func defaults() throws {
        let configuration = try read("")
        #expect(configuration.listen.description == "127.0.0.1:3000")
        #expect(configuration.isConfidential)
        #expect(configuration.scope == "atproto transition:generic")
        #expect(configuration.sessionIdle == .seconds(14 * 86400))
        #expect(configuration.sessionTTL == .seconds(180 * 86400))
        #expect(configuration.vaultKeyFile == "/var/lib/bskyauth-server/keys/vault.key")
        #expect(configuration.clientID == "https://auth.example.com/oauth-client-metadata.json")
        #expect(configuration.devNetwork == nil)
        #expect(configuration.warnings.isEmpty)
    }

    @Test("assertions are for issuers with https, but in a test network") func audiences() throws {
        let section = """
            [assertions]
            enrolment_codes = true
            audiences = ["http://127.0.0.1:2583"]
            """
        let error = #expect(throws: ConfigurationError.self) { try read(section) }
        #expect(error?.description == "assertions.audiences has an issuer without https")
        let configuration = try read("dev_network = \"http://127.0.0.1:2583\"\n" + section)
        #expect(configuration.assertions?.audiences == ["http://127.0.0.1:2583"])
    }

    @Test("a proxy on this machine is named where it can forge a certificate") func certificates() throws {
        let section = """
            [assertions]
            certificate_header = "X-Client-Certificate"
            certificates = ["CN=runner"]
            """
        #expect(try read(section).warnings.contains { $0.hasPrefix("every process of this machine") })
        let elsewhere = try read("trusted_proxies = [\"192.0.2.1\"]\n" + section)
        #expect(!elsewhere.warnings.contains { $0.hasPrefix("every process of this machine") })
    }

    @Test("calls that can take all connections are named") func calls() throws {
        let limits = "[limits]\nconnections = 5\n"
        #expect(try read(limits).limits.callsAtOnce == 4)
        #expect(try !read(limits).warnings.contains { $0.hasPrefix("calls can take") })
        #expect(try read(limits + "calls_at_once = 5").warnings.contains { $0.hasPrefix("calls can take") })
    }

    @Test("every key is read") func all() throws {
        let configuration = try read(
            """
            listen = "[::1]:80"
            trusted_proxies = ["192.0.2.1"]
            state = "/srv/state"
            vault_key_file = "/srv/key"
            scopes = ["atproto", "repo:app.bsky.feed.post"]
            confidential = false
            session_idle = "90s"
            session_ttl = "20d"
            dev_network = "http://127.0.0.1:2583"
            [limits]
            logins_per_client = 1
            logins = 2
            logins_at_once = 3
            upload_megabytes = 5
            uploads_at_once = 6
            connections = 10
            calls_at_once = 9
            [[apps]]
            name = "ios"
            redirects = ["com.example.app:/auth", "https://app.example.com/auth"]
            """)
        #expect(configuration.listen.description == "[::1]:80")
        #expect(configuration.scope == "atproto repo:app.bsky.feed.post")
        #expect(configuration.sessionIdle == .seconds(90))
        #expect(configuration.limits.logins == 2)
        #expect(configuration.apps.first?.redirects.count == 2)
        #expect(configuration.policy.devNetwork != nil)
        #expect(configuration.warnings.count == 2)
        let printed = configuration.values.map { "\($0.key) = \($0.value)" }
        #expect(printed.contains("limits.logins_at_once = 3"))
        #expect(printed.contains("limits.upload_megabytes = 5"))
        #expect(printed.contains("limits.uploads_at_once = 6"))
        #expect(printed.contains("limits.calls_at_once = 9"))
        #expect(printed.contains("limits.calls_per_server = 2 at once"))
        #expect(printed.contains("limits.requests_per_session = 64 at once"))
        #expect(printed.contains("apps.ios = com.example.app:/auth, https://app.example.com/auth"))
    }

    @Test(
        "a wrong value is named",
        arguments: [
            ("other = 1", "other is no setting"), ("[limits]\nother = 1", "limits.other is no setting"),
            ("[limits]\nlogins = 0", "limits.logins is no number"), ("limits = 1", "limits is no table"),
            ("listen = \"0.0.0.0:80\"", "reached by other machines"),
            ("listen = \"localhost:80\"", "IP address and a port"),
            ("listen = \"127.0.0.1:70000\"", "IP address and a port"), ("listen = 80", "listen is no text"),
            ("trusted_proxies = [\"proxy\"]", "write an IP address"), ("trusted_proxies = [1]", "no text"),
            ("state = \"folder\"", "absolute path"), ("confidential = \"yes\"", "neither true nor false"),
            ("scopes = [\"repo:*\"]", "lacks \"atproto\""), ("scopes = [\"atproto\", \"atproto\"]", "twice"),
            ("scopes = [\"atproto x\"]", "one scope as each item"),
            ("session_idle = \"0d\"", "a number and a unit"),
            ("session_idle = \"200d\"", "longer than session_ttl"),
            ("dev_network = \"https://example.com\"", "this machine"),
            ("apps = [\"ios\"]", "under [[apps]]"),
            ("[[apps]]\nname = \"browser\"\nredirects = []", "not \"browser\""),
            ("[[apps]]\nname = \"ios\"\nredirects = []", "has no address"),
            ("[[apps]]\nname = \"ios\"", "redirects is missing"),
            (
                "[[apps]]\nname = \"web\"\nredirects = [\"https://a.example/x\"]\norigins = [\"null\"]",
                "apps[0].origins is \"null\": write https"
            ),
            (
                "[[apps]]\nname = \"web\"\nredirects = [\"https://a.example/x\"]\norigins = [\"*\"]",
                "apps[0].origins is \"*\": write https"
            ),
            (
                "[[apps]]\nname = \"web\"\nredirects = [\"https://a.example/x\"]\norigins = [\"https://a.example/\"]",
                "and nothing after it"
            ),
            ("[[apps]]\nname = \"ios\"\nredirects = [\"app:/auth\"]", "a scheme with a dot"),
            ("[[apps]]\nname = \"ios\"\nredirects = [\"http://a.example/\"]", "a scheme with a dot"),
            (
                "[[apps]]\nname = \"a\"\nredirects = [\"a.b:/\"]\n[[apps]]\nname = \"b\"\nredirects = [\"a.b:/\"]",
                "of two apps"
            ),
            (
                "[[apps]]\nname = \"a\"\nredirects = [\"a.b:/\"]\n[[apps]]\nname = \"a\"\nredirects = [\"a.c:/\"]",
                "of two apps"
            ),
            ("[[apps]]\nname = \"a\"\nredirects = [\"a.b:/\"]\nsecret = 1", "apps[0].secret is no setting"),
            ("a = = 1", "no TOML: line 3"),
        ])
    func wrong(_ text: String, _ words: String) {
        let error = #expect(throws: ConfigurationError.self) { try self.read(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        "a base URL is https and an origin",
        arguments: [
            "https://auth", "https://127.0.0.1",
            "http://a.example", "https://a.example/", "https://A.example", "https://a.example/x", "a.example",
            "",
        ])
    func baseURL(_ text: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationReader.read("base_url = \"\(text)\"\napp_name = \"x\"", credentials: nil)
        }
        #expect(error?.description.contains("base_url") == true)
    }

    @Test("a missing key is named") func missing() {
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationReader.read("base_url = \"https://a.example\"", credentials: nil)
        }
        #expect(error?.description == "app_name is missing")
    }

    @Test("the vault's key is a credential of systemd if there are any") func credentials() throws {
        let configuration = try ConfigurationReader.read(Self.shortest, credentials: "/run/credentials/x")
        #expect(configuration.vaultKeyFile == "/run/credentials/x/vault.key")
    }
}
