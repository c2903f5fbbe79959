import ATPNetworking
import BskyAuthCovers
import Testing

@Suite("HTTPURL") struct HTTPURLTests {
    @Test(
        "accepts absolute URLs and prints them as they are sent",
        arguments: [
            ("https://example.com", "https://example.com/"),
            ("https://example.com/", "https://example.com/"),
            ("HTTPS://Example.COM:443/A/B", "https://example.com/A/B"),
            ("http://example.com:80/", "http://example.com/"),
            ("http://example.com:443/", "http://example.com:443/"),
            ("https://example.com:8443/x", "https://example.com:8443/x"),
            ("https://example.com:00443/x", "https://example.com/x"),
            ("https://example.com?a=b", "https://example.com/?a=b"),
            ("https://example.com/?", "https://example.com/?"),
            ("https://example.com/a//b/../c/./d;p=1", "https://example.com/a//b/../c/./d;p=1"),
            ("https://example.com/%41%2f%2F%zz?x=%20+&y=%", "https://example.com/%41%2f%2F%zz?x=%20+&y=%"),
            ("https://example.com/a?b?c/d:e@f", "https://example.com/a?b?c/d:e@f"),
            ("https://example.com/xrpc/did:plc:abc@x", "https://example.com/xrpc/did:plc:abc@x"),
            ("https://127.0.0.1:2583/x", "https://127.0.0.1:2583/x"),
            ("http://[::1]:2583/x", "http://[::1]:2583/x"),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]/"),
            ("https://a_b.xn--bcher-kva.example/", "https://a_b.xn--bcher-kva.example/"),
        ])
    func accepts(text: String, description: String) throws {
        #expect(try HTTPURL(validating: text).description == description)
    }

    @Test(
        "refuses everything else and says why",
        arguments: [
            ("", .scheme), ("example.com", .scheme), ("//example.com/", .scheme), ("/path", .scheme),
            ("ftp://example.com/", .scheme), ("file:///etc/passwd", .scheme), ("https:/example.com", .scheme),
            ("https:example.com", .scheme), ("javascript:alert(1)", .scheme), ("httpss://a", .scheme),
            ("https://", .host), ("https:///path", .host), ("https://?q", .host), ("https://:443/", .host),
            ("https://.example.com/", .host), ("https://example.com./", .host), ("https://a..b/", .host),
            ("https://-a.example/", .host), ("https://a-.example/", .host), ("https://a,b/", .host),
            ("https://a%2eb/", .host), ("https://[::1/", .host), ("https://[]/", .host),
            ("https://[fe80::1%25eth0]/", .host), ("https://[g::1]/", .host), ("https://a*b/", .host),
            ("https://example.com:/", .port), ("https://example.com:0/", .port),
            ("https://example.com:65536/", .port), ("https://example.com:-1/", .port),
            ("https://example.com:+80/", .port), ("https://example.com:8 0/", .character),
            ("https://example.com:8a/", .port), ("https://example.com:000443/", .port),
            ("https://example.com:1:2/", .port), ("https://[::1]x/", .port), ("https://::1/", .host),
            ("https://user@example.com/", .userInformation), ("https://u:p@example.com/", .userInformation),
            ("https://example.com:80@evil.example/", .userInformation),
            ("https://@example.com/", .userInformation),
            ("https://example.com/#f", .fragment), ("https://example.com#f", .fragment),
            ("https://exa mple.com/", .character), ("https://example.com/a b", .character),
            ("https://example.com/\n", .character), ("https://example.com/\r\nX: y", .character),
            ("https://example.com/\0", .character), ("https://example.com/\u{7f}", .character),
            (" https://example.com/", .character), ("https://example.com/é", .character),
            ("https://bücher.example/", .character), ("https://example.com\\@evil.example/", .character),
            ("https://example.com/<x>", .character), ("https://example.com/`", .character),
            ("https://example.com/{id}", .character), ("https://example.com/a|b", .character),
            ("https://example.com/\"", .character), ("https://example.com/^", .character),
            ("https://ex\u{2100}mple.com/", .character), ("https://example.com/\u{301}", .character),
            ("https://\(String(repeating: "a", count: 254))/", .host),
            ("https://example.com/\(String(repeating: "a", count: 8173))", .tooLong),
        ] as [(String, InvalidURL.Reason)])
    func refuses(text: String, reason: InvalidURL.Reason) {
        #expect(throws: InvalidURL(reason)) { try HTTPURL(validating: text) }
    }

    @Test("takes exactly 8192 bytes")
    func longest() throws {
        let text = "https://example.com/" + String(repeating: "a", count: 8172)
        #expect(try HTTPURL(validating: text).description == text)
    }

    @Test("keeps the difference between no query and an empty one")
    func query() throws {
        #expect(try HTTPURL(validating: "https://a.example/x").query == nil)
        #expect(try HTTPURL(validating: "https://a.example/x?").query?.isEmpty == true)
        #expect(try HTTPURL(validating: "https://a.example/x?a?b").query == "a?b")
    }

    @Test("leaves the query, and only it, out of the htu", .covers("R51", "B4"))
    func withoutQuery() throws {
        let url = try HTTPURL(validating: "HTTPS://A.example:443/x%2Fy?token=secret")
        #expect(url.withoutQuery == "https://a.example/x%2Fy")
    }

    @Test("changes its path and drops its query on request")
    func replacing() throws {
        let url = try HTTPURL(validating: "https://a.example:8443/x?y=1")
        #expect(url.replacing(path: "/z").description == "https://a.example:8443/z")
        #expect(url.replacing(path: "", query: "q").description == "https://a.example:8443/?q")
    }
}

@Suite("Origin") struct OriginTests {
    @Test("is the same whatever the case, the path and the spelling of the default port")
    func equality() throws {
        let origin = try HTTPURL(validating: "https://a.example/x").origin
        #expect(try HTTPURL(validating: "HTTPS://A.EXAMPLE:443/y?z").origin == origin)
        #expect(Origin(scheme: .https, host: "A.Example") == origin)
        #expect(try HTTPURL(validating: "https://a.example:8443/").origin != origin)
        #expect(try HTTPURL(validating: "http://a.example/").origin != origin)
        #expect(try HTTPURL(validating: "https://b.example/").origin != origin)
    }

    @Test("names its authority as the Host field has it")
    func authority() throws {
        #expect(try HTTPURL(validating: "https://a.example:443/").origin.authority == "a.example")
        #expect(try HTTPURL(validating: "http://a.example:443/").origin.authority == "a.example:443")
        #expect(try HTTPURL(validating: "http://[::1]:80/").origin.authority == "[::1]")
        #expect(try HTTPURL(validating: "http://[::1]:81/").origin.description == "http://[::1]:81")
    }

    @Test(
        "knows which hosts are this machine",
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.1.2", true),
            ("[::1]", true), ("localhost.example.com", false), ("x.localhost", false),
            ("127.0.0.1.example", false),
            ("127.1", false), ("127.0.0.256", false), ("128.0.0.1", false), ("0.0.0.0", false),
            ("2130706433", false), ("0x7f.0.0.1", false), ("[::2]", false), ("127.example.a.b", false),
        ])
    func loopback(host: String, isLoopback: Bool) throws {
        #expect(try HTTPURL(validating: "http://\(host)/").origin.isLoopback == isLoopback)
    }
}
