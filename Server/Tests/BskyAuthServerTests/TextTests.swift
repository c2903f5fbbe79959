import Testing

@testable import BskyAuthServer

@Suite struct TextTests {
    @Test("an app's redirect has a scheme that no other program answers to")
    func redirects() {
        for text in [
            "https://a.example/", "https://a.example/x?y=z", "com.example.app:/auth", "com.example:/a?b=c",
        ] {
            #expect(RedirectAddress.isAcceptable(text), "\(text)")
        }
        for text in [
            "", "javascript:alert(1)", "data:text/html,x", "app:/auth", "app://auth", "http://a.example/",
            "Com.example:/x",
            "com.example.app:auth", "https://a.example/#x", "com.example:/a b", "com.example:/\u{e9}",
            "https://a@b.example/",
            "com.example:/\r\nx", "com.example:/<x>", "//a.example", "/path",
            "com.example:/" + String(repeating: "a", count: 1000),
        ] {
            #expect(!RedirectAddress.isAcceptable(text), "\(text)")
        }
        #expect(
            RedirectAddress.address("a.b:/c", adding: [("code", "x&y"), ("did", "did:plc:z")])
                == "a.b:/c?code=x%26y&did=did%3Aplc%3Az")
        #expect(RedirectAddress.address("a.b:/c?d=e", adding: [("code", "x")]) == "a.b:/c?d=e&code=x")
    }

    @Test("a local path leads to no other host")
    func paths() {
        for text in ["/", "/accounts", "/a?b=c#d", "/a//b"] {
            #expect(LocalPath.isAcceptable(text), "\(text)")
        }
        for text in [
            "", "a", "//a.example", "/\\a.example", "\\/a", "/a\\b", "https://a.example", "/a b", "/\u{e9}",
            "/\t/a.example", "/\r\nSet-Cookie:x",
        ] {
            #expect(!LocalPath.isAcceptable(text), "\(text)")
        }
    }

    @Test("parameters are read, and refused if two readers could differ")
    func parameters() {
        #expect(FormText.parameters("a=1&b=%c3%A9+x&c&d==") == ["a": "1", "b": "é x", "c": "", "d": "="])
        #expect(FormText.parameters("") == [:])
        for text in ["a=1&a=2", "a&%61=2", "a=%", "a=%4", "a=%zz", "a=%ff"] {
            #expect(FormText.parameters(text) == nil, "\(text)")
        }
        let all = String(String.UnicodeScalarView((1...0x2ff).compactMap(Unicode.Scalar.init)))
        #expect(FormText.parameters("a=\(FormText.encode(all))") == ["a": all])
    }

    @Test("values are escaped in HTML")
    func html() {
        let value = "<a b=\"c\" d='e'>&"
        let html: HTML = "<p>\(value)</p>\(["<b>", "<i>"] as [HTML])\(nil as HTML?)"
        #expect(html.description == "<p>&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;</p><b><i>")
        let page = Page(title: "\u{3c}script>", body: "<p></p>", next: "https://a.example/?a=b&c=\"d").text(
            appName: "<x>")
        #expect(!page.contains("<script"))
        #expect(page.contains("content=\"0;url=https://a.example/?a=b&amp;c=&quot;d\""))
        #expect(page.contains("&lt;script&gt; – &lt;x&gt;"))
    }

    @Test("the style of a page is the one that its policy allows")
    func style() {
        let page = Page(title: "x", body: "").text(appName: "y")
        #expect(page.contains("<style>\(Page.style)</style>"))
        #expect(Page.policy.contains("style-src 'sha256-"))
        #expect(!Page.policy.contains("unsafe"))
    }

    @Test("one client of IPv6 has a network of /64")
    func addresses() throws {
        let one = try #require(ClientAddress("2001:db8::1"))
        #expect(one.network == ClientAddress("2001:db8::2:3:4:5")?.network)
        #expect(one.network != ClientAddress("2001:db8:0:1::1")?.network)
        #expect(ClientAddress("192.0.2.1") == ClientAddress("::ffff:192.0.2.1"))
        #expect(ClientAddress("192.0.2.1")?.network != ClientAddress("192.0.2.2")?.network)
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(ClientAddress(text)?.isLoopback == true)
        }
        for text in ["0.0.0.0", "::", "192.0.2.1", "::2", "1::1"] {
            #expect(ClientAddress(text)?.isLoopback == false)
        }
        for text in ["", "localhost", "1.2.3", "1.2.3.4:80", "[::1]"] { #expect(ClientAddress(text) == nil) }
    }
}
