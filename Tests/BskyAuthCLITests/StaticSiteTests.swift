import Foundation
import HTTPTypes
import Testing

@testable import BskyAuthCLI

@Suite("StaticSite") struct StaticSiteTests {
    private func files(_ base: String) throws -> [String: String] {
        try #require(StaticSite(base: base)).files
    }

    @Test("has the relay page, a page that says what the place is, and files for the host")
    func names() throws {
        let files = try files("https://me.github.io/at/")
        #expect(
            files.keys.sorted() == [
                ".nojekyll", "_headers", "callback.html", "headers/Caddyfile", "headers/nginx.conf",
                "index.html",
            ])
        #expect(files["callback.html"] == RelayPage.html)
    }

    @Test("holds no key")
    func secrets() throws {
        for (name, text) in try files("https://me.github.io/at/") {
            #expect(!text.contains("\"d\"") && !text.contains("PRIVATE KEY"), "\(name)")
        }
    }

    @Test("sets every header of the relay page once, at its path below the base URL")
    func headerFiles() throws {
        for (base, path) in [("https://me.github.io/at/x/", "/at/x/"), ("https://at.example.com:8443", "/")] {
            let files = try files(base)
            #expect(
                files["_headers"]?.split(separator: "\n").dropFirst().joined(separator: "\n") == """
                    \(path)*
                      Content-Security-Policy: frame-ancestors 'none'
                      Cross-Origin-Opener-Policy: same-origin
                      Referrer-Policy: no-referrer
                      X-Content-Type-Options: nosniff
                      X-Frame-Options: DENY
                    \(path)callback.html
                      Cache-Control: no-store
                    \(path)callback
                      Cache-Control: no-store
                    """)
            for name in ["headers/nginx.conf", "headers/Caddyfile"] {
                let text = try #require(files[name])
                #expect(text.contains(" \(path)callback.html"), "\(name)")
                for header in StaticSite.headers {
                    #expect(text.components(separatedBy: #"\#(header.name) "\#(header.value)""#).count == 2)
                }
            }
        }
    }

    @Test(
        "takes no base URL that would have to be escaped in those files",
        arguments: [
            "http://me.github.io/at/", "https://me.github.io/at", "https://me.github.io/at/?x",
            "https://me.github.io/a;b/", "https://me.github.io/a$b/", "https://me.github.io/a%20b/",
            "https://me.github.io//", "https://me.github.io/../", "https://me.github.io/./",
            "me.github.io/at/",
            "https://me.github.io/at/#x", "https://me.github.io/{a}/", "https://me.github.io/a*/",
        ])
    func unusable(base: String) {
        #expect(StaticSite(base: base) == nil)
    }

    @Test("knows which headers a response lacks")
    func missing() throws {
        var fields: HTTPFields = [:]
        #expect(StaticSite.missingHeaders(in: fields) == StaticSite.headers.map(\.name))
        for header in StaticSite.headers {
            fields[try #require(HTTPField.Name(header.name))] = header.value
        }
        #expect(StaticSite.missingHeaders(in: fields) == [])
        fields[.contentSecurityPolicy] = "default-src 'self';  Frame-Ancestors   'none'; sandbox"
        fields[.cacheControl] = "max-age=0, No-Store"
        #expect(StaticSite.missingHeaders(in: fields) == [])
        fields[.contentSecurityPolicy] = "frame-ancestors 'none' https://evil.example"
        fields[.cacheControl] = "no-cache"
        #expect(StaticSite.missingHeaders(in: fields) == ["Content-Security-Policy", "Cache-Control"])
    }

    @Test("the workflow may publish pages and nothing else, with actions that can't be moved")
    func workflow() throws {
        let text = StaticSite.workflow(publishing: "my site's")
        #expect(
            text.contains(
                "\npermissions:\n  contents: read\n  pages: write\n  id-token: write\n# "))
        #expect(text.contains("\n          path: 'my site''s'\n"))
        let actions = text.split(separator: "\n").filter { $0.contains("uses:") }
        #expect(actions.count == 3)
        for action in actions {
            #expect(action.contains(/uses: actions\/[a-z-]+@[0-9a-f]{40} # v[0-9.]+$/), "\(action)")
        }
    }

    @Test("the page that says what the place is loads nothing and runs nothing")
    func index() throws {
        #expect(IndexPage.html.contains("default-src 'none'; style-src 'sha256-"))
        for text in ["<script", "<link", "<img", "src=", "href=", "http:", "https:", "url("] {
            #expect(!IndexPage.html.contains(text), "\(text)")
        }
    }
}
