import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import FoundationNetworking
import Testing

@Suite("Refuses what the browser brings back", .serialized, .fewAtOnce)
struct CallbackTests {
    static let redirects = [
        RefusedLogin(
            "no iss", Fault.redirect(#"{"remove":["iss"]}"#),
            refusal: Refusal(13, "missing_issuer", says: "the server that sent it; nothing was saved")),
        RefusedLogin(
            "another iss", Fault.redirect(#"{"set":{"iss":"https://evil.example"}}"#),
            refusal: Refusal(13, "issuer_mismatch", says: "https://evil.example")),
        RefusedLogin(
            "an iss with a slash more", Fault.redirect(#"{"set":{"iss":"http://127.0.0.1/"}}"#),
            refusal: Refusal(13, "issuer_mismatch", says: "http://127.0.0.1/")),
        RefusedLogin(
            "neither code nor error", Fault.redirect(#"{"remove":["code"]}"#),
            refusal: Refusal(13, "bad_callback", says: "neither a code nor an error")),
        RefusedLogin(
            "an error from another issuer",
            Fault.redirect(#"{"set":{"iss":"https://evil.example","error":"access_denied"}}"#),
            refusal: Refusal(13, "issuer_mismatch", says: "https://evil.example")),
        RefusedLogin(
            "an error", Fault.redirect(#"{"set":{"error":"temporarily_unavailable"},"remove":["code"]}"#),
            refusal: Refusal(10, "refused", says: "ended the login: temporarily_unavailable")),
    ]

    @Test("sends no code anywhere", .covers("R38"), arguments: redirects)
    func redirect(login: RefusedLogin) async throws {
        try await login.expectRefusal()
    }

    @Test("says that the login was declined", .covers("13.8"))
    func declined() async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox)
        let page = home.directory.appending(path: "page.html")
        let isReported = ServerProfile.current.bringsRejectionsBack
        let refusal =
            isReported
            ? Refusal(2, "access_denied", says: "the login was declined")
            : Refusal(75, "login_timed_out", says: "nothing was saved")
        for reader in Reader.allCases {
            try await home.expect(
                refusal, of: ["login", "alice.test", "--timeout", isReported ? "1m" : "5s"], for: reader,
                browser: "reject", environment: ["BSKYAUTH_TEST_PAGE": page.path])
        }
        #expect(try await Journal(sandbox).requests(to: "/oauth/authorize/consent").count == 2)
        if isReported {
            let text = try String(contentsOf: page, encoding: .utf8)
            #expect(text.contains("The sign-in was declined. Nothing was saved."))
        }
        #expect(try await Journal(sandbox).requests(to: Fault.token).isEmpty)
    }

    @Test("shows what the server says without obeying it, on the page and on the terminal", .covers("R39"))
    func hostileDescription() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let page = home.directory.appending(path: "page.html")
        let description = #"\u001b]0;owned\u0007\u202e<script>alert('x')</script>&\"\nbskyauth: all is well"#
        try await sandbox.setFaults(
            "["
                + Fault.redirect(
                    #"{"set":{"error":"server_error<b>","error_description":"\#(description)"},"remove":["code"]}"#
                ) + "]")
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(10, "refused", says: "alert('x')"), of: ["login", "alice.test"], for: reader,
                environment: ["BSKYAUTH_BROWSER": "curl -sSL -o \(page.path)"])
        }
        let html = try String(contentsOf: page, encoding: .utf8)
        #expect(html.contains("The login failed"))
        #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"))
        #expect(!html.contains("<b>") && !html.contains("alert('x')"))
        #expect(!html.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        #expect(html.components(separatedBy: "othing was saved").count == 2, "said once: \(html)")
    }

    @Test("answers a visit that is not its own and goes on waiting; its own state works once", .covers("R40"))
    func listener() async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox)
        let file = home.directory.appending(path: "redirect")
        let login = try home.start(
            "login", "alice.test", "--json", browser: "accept keep",
            environment: ["BSKYAUTH_TEST_REDIRECT": file.path])
        let own = try await Self.content(of: file)
        let wrong = own.replacingOccurrences(
            of: "state=[^&]*", with: "state=c2V2ZW50ZWVu", options: .regularExpression)
        let missing = own.replacingOccurrences(
            of: "state=[^&]*&?", with: "", options: .regularExpression)
        for url in [
            wrong, missing, own + "&state=twice", own.replacingOccurrences(of: "/callback", with: "/"),
        ] {
            let (status, body) = try await Self.visit(url)
            #expect(status == (url.contains("/callback") ? 400 : 404))
            #expect(!body.contains("cod-"))
        }
        #expect(try await Journal(sandbox).grants("authorization_code").isEmpty)

        // Two at once, and one of them reloaded if the listener is still there: one exchange.
        async let first = Self.visit(own)
        async let second = try? Self.visit(own)
        let (status, page) = try await first
        #expect(status == 200)
        #expect(page.contains("Signed in as @alice.test"))
        #expect(!page.contains("cod-"))
        if let (status, page) = await second {
            #expect(status == 200)
            #expect(page.contains("Signed in as @alice.test"))
        }
        let result = try await login.result()
        #expect(result.status == 0, "\(result.errors)")
        let journal = try await Journal(sandbox)
        #expect(journal.grants("authorization_code").count == 1)
        #expect(try await home.listing().count == 1)
    }

    /// The content of a file that another process is about to write.
    private static func content(of file: URL) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if let text = try? String(contentsOf: file, encoding: .utf8), text.contains("code=") {
                return text
            }
            await Task.yield()
        }
        throw URLError(.timedOut)
    }

    private static func visit(_ text: String) async throws -> (Int, String) {
        let url = try #require(URL(string: text))
        let (data, response) = try await URLSession.shared.data(from: url)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }
}
