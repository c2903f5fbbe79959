import ATPNetworking
import Testing

@testable import BskyAuthCLI

@Suite("Settings") struct SettingsTests {
    private func settings(_ environment: [String: String]) -> Settings { Settings(environment: environment) }

    private func network(_ environment: [String: String]) -> NetworkSettings {
        NetworkSettings(environment: environment)
    }

    @Test("an empty environment needs nothing but a home") func empty() throws {
        let settings = settings(["HOME": "/home/alice"])
        #expect(try settings.vaultDirectory(flag: nil) == "/home/alice/.local/share/bskyauth")
        #expect(settings.cacheDirectory == "/home/alice/.cache/bskyauth")
        #expect(try network([:]).policy() == NetworkPolicy())
        #expect(
            network([:]).value(.plcURL) == nil && settings.browser == nil && !settings.noInput)
    }

    @Test("the flag wins over BSKYAUTH_HOME, that over XDG, that over HOME") func home() throws {
        var environment = ["HOME": "/home/alice", "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "/cache"]
        #expect(try settings(environment).vaultDirectory(flag: nil) == "/data/bskyauth")
        #expect(settings(environment).cacheDirectory == "/cache/bskyauth")
        environment["BSKYAUTH_HOME"] = "/vault"
        #expect(try settings(environment).vaultDirectory(flag: nil) == "/vault")
        #expect(try settings(environment).vaultDirectory(flag: "/flag") == "/flag")
        #expect(settings(environment).cacheDirectory == "/cache/bskyauth")
    }

    @Test("relative XDG directories and empty variables count as not set") func ignored() throws {
        let settings = settings([
            "HOME": "/home/alice", "XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "", "BSKYAUTH_HOME": "",
            "BSKYAUTH_ACCOUNT": "", "BSKYAUTH_DEV_NETWORK": "",
        ])
        #expect(try settings.vaultDirectory(flag: nil) == "/home/alice/.local/share/bskyauth")
        #expect(settings.cacheDirectory == "/home/alice/.cache/bskyauth")
        #expect(settings.account == nil)
        #expect(try network(["BSKYAUTH_DEV_NETWORK": ""]).policy().devNetwork == nil)
    }

    @Test("without a home there is no place, and it says which option helps", arguments: [nil, "relative"])
    func noHome(home: String?) {
        let failure = #expect(throws: Failure.self) {
            try settings(home.map { ["HOME": $0] } ?? [:]).vaultDirectory(flag: nil)
        }
        #expect(failure?.status == .usage && failure?.hint?.contains("--home") == true)
    }

    @Test("with the vault's place named, none is needed for caches") func noCaches() throws {
        #expect(try settings([:]).vaultDirectory(flag: "/vault") == "/vault")
        #expect(settings([:]).cacheDirectory == nil)
    }

    @Test("BSKYAUTH_BROWSER wins over BROWSER") func browser() {
        #expect(settings(["BROWSER": "b"]).browser == "b")
        #expect(settings(["BROWSER": "b", "BSKYAUTH_BROWSER": "a"]).browser == "a")
    }

    @Test(
        "nobody is asked under CI or where that was said",
        arguments: [
            (["CI": "true"], true), (["CI": "1"], true), (["BSKYAUTH_NO_INPUT": "yes"], true),
            (["CI": "false"], false),
            (["CI": "0"], false), (["CI": ""], false), (["BSKYAUTH_NO_INPUT": "No"], false),
        ])
    func noInput(environment: [String: String], expected: Bool) {
        #expect(settings(environment).noInput == expected)
    }

    @Test("an empty passphrase is none, as when a CI job is not given its secret") func emptyPassphrase() {
        #expect(settings(["BSKYAUTH_PASSPHRASE": ""]).passphrase == nil)
    }

    @Test("children never get the passphrase") func secrets() {
        let settings = settings(["BSKYAUTH_PASSPHRASE": "s3cret", "PATH": "/bin"])
        #expect(settings.passphrase == "s3cret")
        #expect(settings.environment == ["PATH": "/bin"])
    }

    @Test(
        "private addresses are asked where the line or the environment says so, and never beside a dev network"
    )
    func privateNetwork() throws {
        #expect(try network([:]).policy() == NetworkPolicy())
        let home = NetworkPolicy(allowsPrivateNetwork: true)
        #expect(try network([:]).policy(allowsPrivateNetwork: true) == home)
        #expect(try network(["BSKYAUTH_ALLOW_PRIVATE_NETWORK": "1"]).policy() == home)
        #expect(try network(["BSKYAUTH_ALLOW_PRIVATE_NETWORK": "0"]).policy() == NetworkPolicy())
        let dev = network(["BSKYAUTH_DEV_NETWORK": "http://127.0.0.1:1"])
        #expect(try dev.policy(allowsPrivateNetwork: true).allowsPrivateNetwork == false)
    }

    @Test(
        "the dev network is a URL of this machine",
        arguments: ["http://127.0.0.1:2583", "http://localhost:80/", "http://[::1]:1"])
    func devNetwork(text: String) throws {
        #expect(try network(["BSKYAUTH_DEV_NETWORK": text]).policy().devNetwork?.isLoopback == true)
    }

    @Test(
        "and nothing else",
        arguments: [
            "http://10.0.0.1:2583", "https://bsky.social", "localhost:2583", "http://127.0.0.1:2583/path",
            "1",
        ])
    func noDevNetwork(text: String) {
        let failure = #expect(throws: Failure.self) { try network(["BSKYAUTH_DEV_NETWORK": text]).policy() }
        #expect(failure?.status == .usage)
    }

    @Test("a name server is named by an IPv4 address or an https URL, and the system's is the default")
    func nameServer() throws {
        for text in ["", "9.9.9.9", "127.0.0.1:5353"] {
            guard case .resolver = try network(["BSKYAUTH_DNS_SERVER": text]).nameServer() else {
                Issue.record("\(text) is asked over https")
                continue
            }
        }
        let url = "https://dns.example:8443/dns-query?key=1"
        guard case .https(let server) = try network(["BSKYAUTH_DNS_SERVER": url]).nameServer() else {
            Issue.record("not asked over https")
            return
        }
        #expect(server.description == url)
    }

    @Test(
        "a name server is nothing else",
        arguments: [
            "http://dns.example/dns-query", "https://", "https://user@dns.example/", "tls://9.9.9.9",
            "dns.example", "https://dns.example/dns-query{?dns}", "9.9.9.9:0",
        ])
    func noNameServer(text: String) {
        let failure = #expect(throws: Failure.self) {
            _ = try network(["BSKYAUTH_DNS_SERVER": text]).nameServer()
        }
        #expect(failure?.status == .usage)
    }
}
