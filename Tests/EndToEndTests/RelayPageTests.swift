import BskyAuthEndToEnd
import Foundation
import Testing

@testable import BskyAuthCLI

private let random = RelaySite.random

/// What the page says to an address that it does not take.
private let refusal = """
    No login to finish

    This address has no answer to a login. To start again, run bskyauth login in your terminal.

    bskyauth relay page \(RelayPage.version)
    """

extension EndToEnd {
    @Suite(
        "The relay page in Chromium",
        .enabled(if: ServerProfile.current == .official, "no server is asked"),
        .enabled(
            if: Chromium.isInstalled || Chromium.isExpected,
            "chromium, chromium-driver or python3-selenium is not there: no page was looked at"))
    struct RelayPageTests {
        private let site: RelaySite

        init() throws {
            site = try RelaySite()
        }

        @Test("hands exactly four parameters on to the listener by itself, and the host sees none of them")
        func handsOn() async throws {
            let foreign = "error_description=%3Cb%3Eowned%3C%2Fb%3E&session_state=owned&CODE=owned"
            let visit = try await site.visit(
                "hands-on",
                [
                    .open(
                        "{host}/callback.html#\(foreign)&iss=https%3A%2F%2Fpds.example&error=some%20error"
                            + "&code=a%27(b)%20%26%23%3D%25&state={port}.\(random)"),
                    .awaitListener,
                ])
            #expect(
                visit.received.map(\.target) == [
                    "/callback?code=a%27%28b%29+%26%23%3D%25&state=\(visit.places.port).\(random)"
                        + "&iss=https%3A%2F%2Fpds.example&error=some+error"
                ])
            let headers = try #require(visit.received.first?.headers)
            #expect(headers["referer"] == nil)
            #expect(headers["sec-fetch-mode"] == "navigate" && headers["sec-fetch-dest"] == "document")
            #expect(visit.served.map(\.target) == ["/callback.html"])
            #expect(visit.console.isEmpty, "\(visit.console)")
        }

        @Test("shows the line to copy and the host of the issuer, and no other text of the address")
        func shows() async throws {
            let answer = "code=c0de&state={port}.\(random)&iss=https%3A%2F%2Fpds.example%3A8443"
            let foreign =
                "error_description=%3Cimg%20src%3Dx%20onerror%3Ddocument.title%3D%27owned%27%3Eowned"
            let visit = try await site.visit(
                "shows",
                [
                    .holdClock, .open("{host}/callback.html#\(answer)&\(foreign)"), .look,
                    .open("{host}/callback.html?\(answer)&\(foreign)"), .look,
                ])
            #expect(visit.pages.count == 2)
            let query = "code=c0de&state=\(visit.places.port).\(random)&iss=https%3A%2F%2Fpds.example%3A8443"
            for page in visit.pages {
                #expect(page.line == "\(visit.places.host)/callback.html?\(query)")
                #expect(page.target == "http://127.0.0.1:\(visit.places.port)/callback?\(query)")
                #expect(page.timers == 1 && page.links == 1)
                #expect(page.text.contains("The answer says it comes from pds.example:8443."))
                #expect(page.text.contains("This page continues by itself in a second."))
                #expect(!page.text.contains("owned") && !page.text.contains("c0de"))
                #expect(page.title == "Finish the login – bskyauth")
                #expect(page.url == "\(visit.places.host)/callback.html")
            }
            #expect(visit.console.isEmpty, "\(visit.console)")
        }

        @Test("does not navigate without a port in the state")
        func withoutPort() async throws {
            let visit = try await site.visit(
                "without-port",
                [.holdClock, .open("{host}/callback.html#code=c0de&state=\(random)"), .look])
            let page = try #require(visit.pages.first)
            #expect(page.line == "\(visit.places.host)/callback.html?code=c0de&state=\(random)")
            #expect(page.target == nil && page.links == 0 && page.timers == 0)
            #expect(!page.text.contains("comes from") && !page.text.contains("Continue on this computer"))
        }

        @Test("does nothing in a frame, of its own origin or of another")
        func framed() async throws {
            let answer = "callback.html#code=c0de&state={port}.\(random)"
            let visit = try await site.visit(
                "framed",
                [
                    .holdClock, .open("{host}/frame.html?\(answer)"), .enterFrame, .look,
                    .open("{stranger}/frame.html?{host}/\(answer)"), .enterFrame, .look,
                ])
            #expect(visit.pages.count == 2)
            for page in visit.pages {
                #expect(page.text == "Open this page in a tab of its own.")
                #expect(page.timers == 0 && page.links == 0 && page.line == nil)
                #expect(page.kept == "null")
                #expect(page.url.hasPrefix("\(visit.places.host)/callback.html#"))
            }
            #expect(visit.received.isEmpty)
        }

        @Test("takes nothing else than an answer, and removes the rest from the address")
        func hostile() async throws {
            let addresses = Self.hostileAddresses
            #expect(addresses.count == 55)
            let visit = try await site.visit(
                "hostile",
                [.holdClock] + addresses.flatMap { [.open("{host}/callback.html\($0)"), .look] })
            try #require(visit.pages.count == addresses.count)
            for (address, page) in zip(addresses, visit.pages) {
                let comment = Comment(rawValue: String(address.prefix(200)))
                #expect(page.text == refusal, comment)
                #expect(page.title == "Finish the login – bskyauth", comment)
                #expect(page.timers == 0 && page.links == 0, comment)
                #expect(page.line == nil && page.target == nil, comment)
                #expect(page.kept == "null" && page.url == "\(visit.places.host)/callback.html", comment)
            }
            #expect(visit.received.isEmpty)
            let asked = visit.requests.filter { $0.hasPrefix("http") }
            #expect(asked.allSatisfy { $0.hasPrefix("\(visit.places.host)/callback.html") }, "\(asked)")
            #expect(visit.console.isEmpty, "\(visit.console)")
        }

        /// What anyone can write behind the address of the page.
        private static let hostileAddresses: [String] = {
            let ports = [
                "22", "80", "1023", "65536", "99999", "100000", "0", "01024", "1e4", "%208080", "8080%20",
                "+8080", "-8080", "0x1f90", "8080/", "8080.", "8080%00",
                "%EF%BC%98%EF%BC%90%EF%BC%98%EF%BC%90",
                "127.0.0.1.evil.com", "evil.com", "8080@evil.com", "evil.com:8080", "javascript:alert(1)", "",
            ]
            let long = String(repeating: "a", count: 2049)
            let state = "state={port}.\(random)"
            let others = [
                "", "#", "#javascript:alert(1)", "#<img src=x onerror=document.title='owned'>",
                "#%3Cscript%3Edocument.title='owned'%3C/script%3E", "#code=c0de", "#code=c0de&state=",
                "#code=c0de&\(state)&\(state)", "#code=c0de&\(state)&state=\(random)", "#\(state)",
                "#code=c0de&code=c0de&\(state)", "#code=&\(state)", "#code=\(long)&\(state)",
                "#code=c%C3%B6de&\(state)", "#code=c%0Ade&\(state)", "#code=c%FFde&\(state)",
                "#error=x&error=y&\(state)", "#error=%22&\(state)", "#error=%5C&\(state)",
                "#error=\(long)&\(state)",
                "#code=c0de&state={port}.short", "#code=c0de&state={port}.\(long)",
                "#code=c0de&state={port}.\(random)%0A", "#code=c0de&state={port}.\(random)%3Cb%3E",
                "#code=c0de&\(state)&iss=javascript:alert(1)",
                "#code=c0de&\(state)&iss=https://user@pds.example",
                "#code=c0de&\(state)&iss=https://pds.example/%3Cb%3E",
                "#code=c0de&\(state)&iss=https://\(long)",
                "#code=c0de&\(state)&iss=https://a.example&iss=https://b.example",
                "#code=c0de&\(state)&iss=data:text/html,owned", "?code=c0de&\(state)&\(state)",
            ]
            return ports.map { "#code=c0de&state=\($0).\(random)" } + others
        }()

        @Test("takes the lowest and the highest port, every character of a code, and an error alone")
        func limits() async throws {
            let code = String((0x20...0x7e).map { Character(Unicode.Scalar($0)) })
            let allowed = CharacterSet.alphanumerics
            let encoded = try #require(code.addingPercentEncoding(withAllowedCharacters: allowed))
            let long = String(repeating: "a", count: 2048)
            let visit = try await site.visit(
                "limits",
                [.holdClock]
                    + [
                        "code=c0de&state=1024.\(random)", "code=c0de&state=65535.\(random)",
                        "code=\(encoded)&state=8080.\(random)", "code=\(long)&state=8080.\(random)",
                        "error=access_denied&state=8080.\(random)",
                    ].flatMap { [.open("{host}/callback.html#\($0)"), .look] })
            let targets = visit.pages.map(\.target)
            #expect(targets[0] == "http://127.0.0.1:1024/callback?code=c0de&state=1024.\(random)")
            #expect(targets[1] == "http://127.0.0.1:65535/callback?code=c0de&state=65535.\(random)")
            let line = try #require(visit.pages[2].line)
            let value = try #require(
                URLComponents(string: line.replacing("+", with: "%20"))?.queryItems?.first)
            #expect(value.value == code)
            // The line has no character that a shell would act on, but & and ?.
            #expect(line.wholeMatch(of: /[A-Za-z0-9:\/.?=&%+*_-]+/) != nil, "\(line)")
            #expect(targets[3]?.hasSuffix("code=\(long)&state=8080.\(random)") == true)
            #expect(targets[4] == "http://127.0.0.1:8080/callback?state=8080.\(random)&error=access_denied")
        }

        @Test("has the line again after a closed port and the way back, and does not leave again")
        func closedPort() async throws {
            let visit = try await site.visit(
                "closed-port",
                [
                    .holdClock, .open("{host}/callback.html#code=c0de&state={closed}.\(random)"),
                    .letTimePass, .awaitFailure, .back, .look, .reload, .look,
                ])
            #expect(visit.pages.count == 2)
            expectReturned(visit)
        }

        @Test("has the line again after the Back button, when the person has clicked the link")
        func backButton() async throws {
            let visit = try await site.visit(
                "back-button",
                [
                    .holdClock, .open("{host}/callback.html#code=c0de&state={closed}.\(random)"),
                    .clickOn("#continue"), .awaitFailure, .backButton, .look,
                ])
            #expect(visit.pages.count == 1)
            expectReturned(visit)
        }

        private func expectReturned(
            _ visit: RelayVisit, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let query = "code=c0de&state=\(visit.places.closed).\(random)"
            for page in visit.pages {
                #expect(
                    page.line == "\(visit.places.host)/callback.html?\(query)", sourceLocation: sourceLocation
                )
                #expect(
                    page.target == "http://127.0.0.1:\(visit.places.closed)/callback?\(query)",
                    sourceLocation: sourceLocation)
                #expect(page.timers == 0 && !page.text.contains("by itself"), sourceLocation: sourceLocation)
                #expect(page.url == "\(visit.places.host)/callback.html", sourceLocation: sourceLocation)
            }
            #expect(visit.received.isEmpty, sourceLocation: sourceLocation)
            #expect(
                visit.served.allSatisfy { $0.target == "/callback.html" }, sourceLocation: sourceLocation)
        }

        @Test("stays when the person clicks, selects or moves to a field")
        func stays() async throws {
            let acts: [RelayVisit.Step] = [
                .clickOn("#line"), .clickOn("#answer h1"), .press("TAB"), .selectAll,
            ]
            let visit = try await site.visit(
                "stays",
                [.holdClock]
                    + acts.flatMap {
                        [.open("{host}/callback.html#code=c0de&state={port}.\(random)"), .look, $0, .look]
                    })
            #expect(visit.pages.map(\.timers) == [1, 0, 1, 0, 1, 0, 1, 0])
            #expect(visit.pages.map { $0.text.contains("by itself") } == visit.pages.map { $0.timers == 1 })
            #expect(Set(visit.pages.map(\.line)).count == 1)
        }

        @Test("copies the whole line")
        func copies() async throws {
            let visit = try await site.visit(
                "copies",
                [.open("{host}/callback.html#code=c0de&state=\(random)"), .clickOn("#copy"), .look])
            let page = try #require(visit.pages.first)
            #expect(page.selected == page.line)
        }

        @Test("takes a second answer in the same tab")
        func secondAnswer() async throws {
            let visit = try await site.visit(
                "second-answer",
                [
                    .open("{host}/callback.html#code=c0de&state=\(random)"),
                    .follow("{host}/callback.html#code=second&state=\(random)"), .look,
                ])
            let page = try #require(visit.pages.first)
            #expect(page.line == "\(visit.places.host)/callback.html?code=second&state=\(random)")
            #expect(page.url == "\(visit.places.host)/callback.html")
        }
    }
}
