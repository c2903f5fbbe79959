import ATPNetworking
import ATProtoIdentity
import Foundation
import Logging
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct MembersTests {
    private let alice = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

    @Test("a list has DIDs and handles, with comments and empty lines") func list() throws {
        let members = try Members("# all\n\n \(alice)\t# Alice\r\n@Bob.Example.com\n  carol.example.com")
        #expect(members.dids == [alice])
        #expect(members.handles == ["bob.example.com", "carol.example.com"])
        #expect(members.contains(.init(did: alice, handle: nil)))
        #expect(members.contains(.init(did: "did:web:bob.example.com", handle: Handle("bob.example.com"))))
        #expect(!members.contains(.init(did: "did:web:bob.example.com", handle: nil)))
        #expect(!members.contains(.init(did: alice.uppercased(), handle: nil)))
    }

    @Test("an empty list admits nobody", arguments: ["", "\n", "# nobody"]) func empty(_ text: String) throws
    {
        #expect(!(try Members(text).contains(.init(did: alice, handle: Handle("alice.example.com")))))
    }

    @Test(
        "one line that is no name makes the list unreadable",
        arguments: [
            "alice", "did:plc:", "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme",
            "alice.example.com bob.example.com", "alice. example.com", "*.example.com",
            "@did:web:example.com",
            "\u{feff}alice.example.com", "alice.exam\u{0}ple.com", "ålice.example.com",
        ])
    func wrong(_ line: String) {
        let error = #expect(throws: MembersError.self) { try Members("\(alice)\n\(line)\n") }
        #expect(error?.description == "line 2 is neither a DID nor a handle")
    }
}

@Suite struct SiteSettingsTests {
    private func read(_ text: String, base: String = "https://auth.example.com") throws -> SiteSettings? {
        let start = "base_url = \"\(base)\"\napp_name = \"Example\"\n[auth]\nmembers = \"/etc/members\"\n"
        return try ConfigurationReader.read(start + text, credentials: nil).sites
    }

    private let hosts = "hosts = [\"https://wiki.example.com\", \"https://files.example.com:8443\"]\n"

    @Test("the section is read") func all() throws {
        let settings = try #require(try read(hosts + "cookie_domain = \"example.com\"\nttl = \"8h\""))
        #expect(settings.members == "/etc/members")
        #expect(settings.cookieDomain == "example.com")
        #expect(settings.ttl == .seconds(8 * 3600))
        #expect(
            settings.address("https://files.example.com:8443/a?b") == "https://files.example.com:8443/a?b")
        #expect(settings.address("https://files.example.com/") == nil)
        #expect(settings.address("https://wiki.example.com?x={|}") == "https://wiki.example.com/?x=%7B%7C%7D")
    }

    @Test("the cookie is removed at the host and at each domain above it") func otherDomains() throws {
        let settings = try #require(try read(hosts + "cookie_domain = \"example.com\""))
        #expect(settings.otherDomains(above: "auth.example.com") == ["auth.example.com"])
        #expect(
            settings.otherDomains(above: "a.b.example.com") == ["a.b.example.com", "b.example.com"])
        let narrow = try #require(
            try read(
                "hosts = [\"https://wiki.b.example.com\"]\ncookie_domain = \"b.example.com\"",
                base: "https://auth.b.example.com"))
        #expect(
            narrow.otherDomains(above: "auth.b.example.com") == ["auth.b.example.com", "example.com"])
    }

    @Test(
        "a wrong section is refused",
        arguments: [
            ("cookie_domain = \"com\"", "auth.cookie_domain is \"com\": write a domain"),
            ("cookie_domain = \".example.com\"", "auth.cookie_domain is \".example.com\": write a domain"),
            ("cookie_domain = \"example.com; Path=/\"", "auth.cookie_domain is"),
            ("cookie_domain = \"10.0.0.1\"", "auth.cookie_domain is"),
            ("cookie_domain = \"xample.com\"", "auth.cookie_domain does not contain auth.example.com"),
            ("cookie_domain = \"auth.example.com\"", "auth.cookie_domain does not contain wiki.example.com"),
            ("", "auth.cookie_domain is missing"),
            ("cookie_domain = \"example.com\"\ncookies = 1", "auth.cookies is no setting"),
        ])
    func wrong(_ line: String, _ words: String) {
        let error = #expect(throws: ConfigurationError.self) { try read(hosts + line) }
        #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        "a domain below which anyone can have a name is refused",
        arguments: [
            "co.uk", "com.au", "co.jp", "org.uk", "gov.br", "ac.at", "github.io", "pages.dev", "us.com",
        ])
    func publicSuffixes(_ domain: String) throws {
        func read(_ cookies: String) throws -> SiteSettings? {
            try self.read(
                "hosts = [\"https://wiki.example.\(domain)\"]\ncookie_domain = \"\(cookies)\"",
                base: "https://auth.example.\(domain)")
        }
        let error = #expect(throws: ConfigurationError.self) { try read(domain) }
        #expect(error?.description.hasSuffix("such as example.\(domain)") == true)
        #expect(try read("example.\(domain)")?.cookieDomain == "example.\(domain)")
    }

    @Test(
        "a domain of one's own is none of them",
        arguments: ["co.de", "com.example", "uk.org", "io.github", "co.example.com"])
    func ownDomains(_ domain: String) { #expect(!PublicSuffix.contains(domain)) }

    @Test(
        "hosts are https origins of other hosts than base_url",
        arguments: [
            ("[]", "auth.hosts has no address"), ("[\"http://wiki.example.com\"]", "auth.hosts is"),
            ("[\"https://wiki.example.com/x\"]", "auth.hosts is"),
            ("[\"https://auth.example.com:8443\"]", "auth.hosts has the host of base_url"),
            ("[\"https://wiki.example.org\"]", "auth.cookie_domain does not contain wiki.example.org"),
        ])
    func wrongHosts(_ hosts: String, _ words: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try read("hosts = \(hosts)\ncookie_domain = \"example.com\"")
        }
        #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
    }

    @Test("a sealing key is needed as long as a login for a site lasts") func seals() throws {
        let start = "base_url = \"https://auth.example.com\"\napp_name = \"Example\"\n"
        let section = "[auth]\nmembers = \"/etc/members\"\n\(hosts)cookie_domain = \"example.com\"\n"
        for (text, days) in [("", 14), (section, 14), (section + "ttl = \"90d\"", 90)] {
            let configuration = try ConfigurationReader.read(start + text, credentials: nil)
            #expect(configuration.longestSeal == .seconds(days * 86400))
        }
    }

    @Test("no app has the name of the sites") func reserved() {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationReader.read(
                """
                base_url = "https://auth.example.com"
                app_name = "Example"
                [[apps]]
                name = "auth"
                redirects = ["com.example.app:/auth"]
                """, credentials: nil)
        }
    }
}

@Suite struct VerifiedHandlesTests {
    private let world = Identities()
    private let handles: VerifiedHandles
    private let did: DID

    init() throws {
        did = try #require(DID("did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
        handles = VerifiedHandles(world, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            [world] in world.now
        }
    }

    private func handle() async -> String? { await handles.handle(of: did)?.description }

    @Test("a handle counts for an hour, and is then verified again") func hour() async {
        #expect(await handle() == "alice.example.com")
        world.change { $0.owner = "did:plc:zzzzzzzzzzzzzzzzzzzzzzzz" }
        world.advance(3599)
        #expect(await handle() == "alice.example.com")
        #expect(world.count == 1)
        world.advance(1)
        #expect(await handle() == nil)
        #expect(world.count == 2)
    }

    @Test("an account has the handle that it claims now") func claim() async {
        #expect(await handle() == "alice.example.com")
        world.change { $0.claim = "other.example.com" }
        world.advance(3600)
        #expect(await handle() == "other.example.com")
    }

    @Test("a handle that can't be looked up does not count, and is looked up again after a minute")
    func failure() async {
        #expect(await handle() == "alice.example.com")
        world.advance(3600)
        world.change { $0.owner = nil }
        #expect(await handle() == nil)
        world.change { $0.owner = "did:plc:ewvi7nxzyoun6zhxrhs64oiz" }
        world.advance(59)
        #expect(await handle() == nil)
        #expect(world.count == 2)
        world.advance(1)
        #expect(await handle() == "alice.example.com")
    }

    @Test("requests at the same time share a lookup") func shared() async {
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { await handle() } }
            for await handle in group { #expect(handle == "alice.example.com") }
        }
        #expect(world.count == 1)
    }
}

/// One account, whose handle a test can take away, and a clock that it moves.
private final class Identities: IdentitySource {
    struct Content {
        var now = Date(timeIntervalSince1970: 1_800_000_000)
        var claim = "alice.example.com"
        /// The DID that the handle leads to; nil if it can't be looked up.
        var owner: String? = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
        var count = 0
    }

    private let content = Mutex(Content())

    var now: Date { content.withLock { $0.now } }
    /// How many documents were asked for.
    var count: Int { content.withLock { $0.count } }

    func advance(_ seconds: Double) { content.withLock { $0.now += seconds } }
    func change(_ change: (inout sending Content) -> Void) { content.withLock { change(&$0) } }

    func did(of handle: Handle) async throws(IdentityError) -> DID {
        guard let text = content.withLock({ $0.owner }), let did = DID(text) else {
            throw .unavailable(handle.description)
        }
        return did
    }

    func document(of did: DID) async throws(IdentityError) -> DIDDocument {
        let claim = content.withLock { content in
            content.count += 1
            return content.claim
        }
        return try DIDDocument(
            """
            {"id": "\(did)", "alsoKnownAs": ["at://\(claim)"], "service": [{"id": "#atproto_pds",
            "type": "AtprotoPersonalDataServer", "serviceEndpoint": "https://pds.example.com"}]}
            """, of: did)
    }
}
