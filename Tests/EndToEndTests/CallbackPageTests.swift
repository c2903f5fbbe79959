import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// The pages are the program's own, and it does not show on them which server has sent the browser: one
    /// server is enough.
    @Suite(
        "The pages of a login in Chromium",
        .enabled(if: ServerProfile.current == .official, "one server is enough"),
        .enabled(
            if: Chromium.isInstalled || Chromium.isExpected,
            "chromium, chromium-driver or python3-selenium is not there: no page was looked at"))
    struct CallbackPageTests {
        @Test(
            "from the click to signed in, and nobody is there for a later reload",
            .covers("L15", "12.7", "B19", "C9", "F3"))
        func signedIn() async throws {
            let home = try Home(try Sandbox())
            let label = String(repeating: "W", count: 64)
            let visit = try await home.logInAtChromium(
                "alice.test", "--label", label, steps: [.signIn, .accept, .reload], named: "signed-in")
            #expect(visit.login.status == 0, "\(visit.login.errors)")
            #expect(visit.pages.count == 3)
            let page = try #require(visit.pages.dropFirst().first)
            expectOwnPage(page, "Signed in as @alice.test (\(label))", mark: "circle")
            #expect(page.text.contains("You can close this tab and go back to the terminal."))
            expectNothingElse(visit, home)
            #expect(visit.report.console.isEmpty, "\(visit.report.console)")
            #expect(visit.pages.last?.url.hasPrefix("chrome-error:") == true)
            #expect(try await home.accounts().map(\.label) == [label])
        }

        @Test("declined, with nothing saved", .covers("13.8"))
        func declined() async throws {
            let home = try Home(try Sandbox())
            let visit = try await home.logInAtChromium(
                "alice.test", steps: [.signIn, .reject], named: "declined")
            #expect(visit.login.status == 2, "\(visit.login.errors)")
            let page = try #require(visit.pages.last)
            expectOwnPage(page, "Not signed in", mark: "rect")
            #expect(page.text.contains("The sign-in was declined. Nothing was saved."))
            expectNothingElse(visit, home)
            #expect(visit.report.console.isEmpty, "\(visit.report.console)")
            #expect(try await home.accounts().isEmpty)
        }

        @Test("an error of the server, its text shown as text however it is written", .covers("R39"))
        func refused() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let script = "document.title='owned'"
            let markup = "<img src=x onerror=\(script)><script>\(script)</script></p>"
            let long = String(repeating: "x", count: 200)
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/authorize/consent"},"action":{"amend_redirect":{"set":"#
                    + #"{"error":"server_error","error_description":"\#(markup)\u202e\u0007\#(long)"},"#
                    + #""remove":["code"]}}}]"#)
            let visit = try await home.logInAtChromium(
                "alice.test", steps: [.signIn, .accept], named: "refused")
            #expect(visit.login.status == 10, "\(visit.login.errors)")
            let page = try #require(visit.pages.last)
            expectOwnPage(page, "The login failed", mark: "path")
            #expect(page.text.contains(markup) && page.text.contains(long))
            #expect(!page.text.contains("\u{202e}") && !page.text.contains("\u{7}"))
            expectNothingElse(visit, home)
            #expect(visit.report.console.isEmpty, "\(visit.report.console)")
        }

        @Test("an account whose document has markup for a handle, called by its DID")
        func hostileHandle() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let did = try await home.logIn("alice.test").did
            try home.forgetIdentities()
            let markup = "at://<b onmouseover=alert(1)>alice</b>.test"
            try await sandbox.setFaults(
                #"[{"match":{"role":"plc"},"action":{"amend":{"set":{"/alsoKnownAs":["\#(markup)"]}}}}]"#)
            let visit = try await home.logInAtChromium(
                did, steps: [.signIn, .accept], named: "hostile-handle")
            #expect(visit.login.status == 0, "\(visit.login.errors)")
            expectOwnPage(try #require(visit.pages.last), "Signed in as \(did)", mark: "circle")
        }

        @Test("an exchange that fails, which no page has called signed in")
        func exchangeFailed() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"action":{"respond":{"status":400,"#
                    + #""body":{"error":"invalid_grant"}}}}]"#)
            let visit = try await home.logInAtChromium(
                "alice.test", steps: [.signIn, .accept], named: "exchange-failed")
            #expect(visit.login.status != 0, "\(visit.login.errors)")
            let page = try #require(visit.pages.last)
            expectOwnPage(page, "The login failed", mark: "path")
            #expect(page.text.contains("Nothing was saved."))
            #expect(!page.text.contains("Signed in"))
            expectNothingElse(visit, home)
            #expect(try await home.accounts().isEmpty)
        }

        @Test(
            "a page of another login ends nothing, and says so before and after a reload",
            .covers("R40", "C10"))
        func anotherLogin() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let port = try await freePort()
            let stray =
                "http://127.0.0.1:\(port)/callback?code=cod-1&state=c2V2ZW50ZWVu&iss=\(sandbox.address)"
            let visit = try await home.logInAtChromium(
                "alice.test", "--port", "\(port)",
                steps: [.visit(stray), .reload, .back, .signIn, .accept], named: "another-login")
            #expect(visit.login.status == 0, "\(visit.login.errors)")
            #expect(visit.pages.count == 4)
            for page in visit.pages.prefix(2) {
                expectOwnPage(page, "This link does not belong to the current login", mark: "circle")
                #expect(page.text.contains("The login in the terminal is still waiting."))
            }
            expectOwnPage(try #require(visit.pages.last), "Signed in as @alice.test", mark: "circle")
            expectNothingElse(visit, home)
            // The browser itself notes that these two were a 400.
            #expect(visit.report.console.map(\.source) == ["network", "network"])
            let exchanges = try await sandbox.requests().filter { $0.grant == "authorization_code" }
            #expect(exchanges.filter { !$0.isNonceChallenge }.count == 1)
        }

        @Test(
            "the redirect URI opened again during the exchange, without its query, gets the same page",
            .covers("L15"))
        func openedAgain() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"action":{"delay":"3s","when":"after"}}]"#)
            let port = try await freePort()
            let visit = try await home.logInAtChromium(
                "alice.test", "--port", "\(port)",
                steps: [.signIn, .acceptAndVisit("http://127.0.0.1:\(port)/callback")], named: "opened-again")
            #expect(visit.login.status == 0, "\(visit.login.errors)")
            #expect(visit.pages.count == 3)
            for page in visit.pages.dropFirst() {
                expectOwnPage(page, "Signed in as @alice.test", mark: "circle")
            }
            let exchanges = try await sandbox.requests().filter { $0.grant == "authorization_code" }
            #expect(exchanges.filter { !$0.isNonceChallenge }.count == 1)
        }

        /// A port that no process listens on.
        private func freePort() async throws -> Int {
            let script =
                "import socket; print(socket.create_server(('127.0.0.1', 0)).getsockname()[1])"
            let found = try await Program.run("/usr/bin/python3", ["-c", script], environment: [:])
            return try #require(Int(found.text.trimmingCharacters(in: .newlines)))
        }

        /// A page of the program's that is fit to be read, in any light, on any window.
        private func expectOwnPage(
            _ page: Chromium.Page, _ heading: String, mark: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(page.title == "\(heading) – bskyauth", sourceLocation: sourceLocation)
            #expect(page.text.contains(heading), sourceLocation: sourceLocation)
            #expect(page.language == "en", sourceLocation: sourceLocation)
            #expect(page.viewport == "width=device-width, initial-scale=1", sourceLocation: sourceLocation)
            #expect(page.elements.prefix(4) == ["svg", mark, "path", "h1"], sourceLocation: sourceLocation)
            #expect(page.elements.dropFirst(4).allSatisfy { $0 == "p" }, sourceLocation: sourceLocation)
            #expect(page.resources.isEmpty, sourceLocation: sourceLocation)
            #expect(page.url.hasSuffix("/callback"), sourceLocation: sourceLocation)
            for secret in ["code=", "state=", "iss="] {
                #expect(!page.history.contains { $0.contains(secret) }, sourceLocation: sourceLocation)
            }
            for look in page.looks {
                let place = "\(look.scheme), \(look.width) px wide"
                #expect(look.contentWidth <= look.width, "\(place)", sourceLocation: sourceLocation)
                for text in look.texts {
                    let contrast = text.colors.contrast ?? 0
                    #expect(contrast >= 4.5, "\(text), \(place)", sourceLocation: sourceLocation)
                }
                let contrast = look.mark?.contrast ?? 0
                #expect(contrast >= 3, "the mark, \(place)", sourceLocation: sourceLocation)
            }
            #expect(page.looks.map(\.width) == [900, 360, 900, 360], sourceLocation: sourceLocation)
            let colors = page.looks.map { $0.texts.map(\.colors) + [$0.mark] }
            #expect(colors[0] == colors[1] && colors[2] == colors[3], sourceLocation: sourceLocation)
            #expect(zip(colors[0], colors[2]).allSatisfy { $0 != $1 }, sourceLocation: sourceLocation)
        }

        /// The browser asked this machine and no other, for pages and nothing else.
        private func expectNothingElse(
            _ visit: Chromium.Visit, _ home: Home, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let asked = visit.report.requests.compactMap { URL(string: $0) }
                .filter { ["http", "https", "ws", "wss"].contains($0.scheme) }
            #expect(asked.allSatisfy { $0.host() == "127.0.0.1" }, "\(asked)", sourceLocation: sourceLocation)
            let own = asked.filter { "http://127.0.0.1:\($0.port ?? 0)" != home.sandbox.address }
            let paths = Set(own.map { $0.path() })
            #expect(paths == ["/callback"], "\(paths)", sourceLocation: sourceLocation)
        }
    }
}
