import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The pager")
    struct PagerTests {
        /// A prompt of less that nothing else prints.
        private static let less = ["TERM": "xterm", "LESS": "FRXPsnext page$"]
        private static let prompt = "next page"
        private static let help = ["help", "environment"]
        private static let records = [
            "call", "com.atproto.repo.listRecords", "repo=alice.test", "collection=a.b.c", "limit=2",
            "--items",
        ]

        /// A terminal with a pager that is this shell script. Its name is `a text`.
        private static func script(_ text: String) -> [String: String] {
            ["TERM": "xterm", "BSKYAUTH_PAGER": "sh -c '\(text)' 'a text'"]
        }

        /// Three records, which are two pages.
        private static func homeWithRecords() async throws -> Home {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            for number in 1...3 {
                try await home.succeed(
                    "call", "com.atproto.repo.putRecord", "collection=a.b.c", "rkey=r\(number)", "record:={}")
            }
            return home
        }

        /// What happens to the request for the second page.
        private static func secondPage(_ action: String) -> String {
            #"[{"match":{"path":"/xrpc/com.atproto.repo.listRecords"},"skip":1,"action":\#(action)}]"#
        }

        @Test("less shows a long text by pages, and q ends it with success")
        func long() async throws {
            let home = try Home(try Sandbox())
            let shown = try await home.runAtTerminal(
                Paths.program, Self.help,
                steps: [.press(" ", at: Self.prompt), .press("q", at: Self.prompt)],
                environment: Self.less)
            #expect(shown.status == 0 && shown.stepsLeft == 0 && shown.restored, "\(shown.screen)")
            #expect(
                shown.displays[0].first?.contains("A length of time") == true, "\(shown.displays)")
            #expect(!shown.screen.contains("bskyauth: "), "\(shown.screen)")
        }

        @Test(
            "what fits on one screen stays there, and nobody has to leave the pager",
            arguments: [[], ["--json"]])
        func short(options: [String]) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            for line in [
                ["accounts", "--get", ".accounts[0].did"], ["resolve", "alice.test", "--get", ".did"],
                ["call", "com.atproto.identity.resolveHandle", "handle=alice.test"],
            ] {
                let shown = try await home.runAtTerminal(
                    Paths.program, line + options, steps: [], environment: ["TERM": "xterm"])
                #expect(shown.status == 0 && shown.restored, "\(shown.screen)")
                #expect(shown.displays.last?.joined().contains("did:plc:") == true, "\(shown.screen)")
            }
        }

        @Test("a pager gets the words of its variable, the text, and no secret")
        func ownPager() async throws {
            let home = try Home(try Sandbox(), key: ["BSKYAUTH_PASSPHRASE": "correct horse"])
            try await home.logIn("alice.test")
            let shown = try await home.runAtTerminal(
                "accounts", "--json", steps: [], environment: Self.script(#"env >environment; cat >"$0""#))
            #expect(shown.status == 0 && !shown.screen.contains("alice.test"), "\(shown.screen)")
            func file(_ name: String) throws -> String {
                try String(contentsOf: home.directory.appending(path: name), encoding: .utf8)
            }
            let plain = try await home.run("accounts", "--json").text
            #expect(try file("a text") == plain)
            let variables = try file("environment")
            #expect(variables.contains("\nLESS=FRX\n") && variables.contains("BSKYAUTH_HOME="))
            #expect(!variables.contains("PASSPHRASE") && !variables.contains("horse"))
        }

        @Test(
            "is not used for those who want none, or where nobody reads",
            arguments: [
                (["--no-pager"], [:]), (["--no-input"], [:]), ([], ["CI": "1"]), ([], ["TERM": "dumb"]),
                ([], ["BSKYAUTH_PAGER": ""]), ([], ["BSKYAUTH_PAGER": " "]), ([], ["BSKYAUTH_PAGER": "cat"]),
                ([], ["BSKYAUTH_PAGER": "", "PAGER": "touch used"]),
            ])
        func none(options: [String], variables: [String: String]) async throws {
            let home = try Home(try Sandbox())
            let environment = ["TERM": "xterm", "PAGER": "touch used", "BSKYAUTH_PAGER": "touch used"]
            let shown = try await home.runAtTerminal(
                Paths.program, Self.help + options, steps: [],
                environment: environment.merging(variables) { $1 })
            #expect(shown.status == 0 && shown.screen.contains("BSKYAUTH_HOME"), "\(shown.screen)")
            #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: "used").path))
        }

        @Test(
            "is not used for a token, for other results, for an error and for a pipe",
            arguments: [
                "token --show", "accounts current", "call com.atproto.sync.getBlob -i --no-check",
                "accounts | cat",
                "accounts </dev/null",
            ])
        func others(line: String) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let shown = try await home.runAtTerminal(
                "/bin/sh", ["-c", "\(Paths.program) \(line)"], steps: [],
                environment: ["TERM": "xterm", "PAGER": "touch used"])
            #expect(!shown.screen.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: "used").path))
        }

        @Test("a pager that can't be started is named, and the text is printed")
        func missing() async throws {
            let home = try Home(try Sandbox())
            let shown = try await home.runAtTerminal(
                Paths.program, Self.help, steps: [],
                environment: ["TERM": "xterm", "PAGER": "no-such-pager -x"])
            #expect(shown.status == 0 && shown.screen.contains("BSKYAUTH_HOME"), "\(shown.screen)")
            let complaint = "the pager no-such-pager can't be started: No such file or directory"
            #expect(shown.displays.last?.last == complaint, "\(shown.screen)")
        }

        @Test("a pager that fails is named, because it may have shown nothing")
        func failing() async throws {
            let home = try Home(try Sandbox())
            let shown = try await home.runAtTerminal(
                Paths.program, Self.help, steps: [], environment: Self.script("cat >/dev/null; exit 3"))
            #expect(shown.status == 0, "\(shown.screen)")
            #expect(shown.screen.contains("the pager sh ended with exit status 3"), "\(shown.screen)")
        }

        @Test("the first page is there while the next is on its way, and Ctrl-C does not wait for it")
        func pages() async throws {
            let home = try await Self.homeWithRecords()
            try await home.sandbox.setFaults(Self.secondPage(#"{"delay":"600s","when":"before"}"#))
            let shown = try await home.runAtTerminal(
                Paths.program, Self.records + ["--http-timeout", "600s"],
                steps: [.press("\u{3}", at: "r2"), .press("q", at: Self.prompt)],
                // Without F, less never ends by itself.
                environment: Self.less.merging(["LESS": "RXPsnext page$"]) { $1 })
            #expect(shown.signal == SIGINT && shown.stepsLeft == 0 && shown.restored, "\(shown.screen)")
            #expect(!shown.screen.contains("bskyauth: "), "\(shown.screen)")
        }

        @Test("a pager that ends early ends the command with success, whatever it waits for")
        func leftEarly() async throws {
            let home = try await Self.homeWithRecords()
            try await home.sandbox.setFaults(Self.secondPage(#"{"delay":"600s","when":"before"}"#))
            let shown = try await home.runAtTerminal(
                Paths.program, Self.records + ["--http-timeout", "600s"], steps: [],
                environment: Self.script("head -n 1"))
            #expect(shown.status == 0 && shown.restored, "\(shown.screen)")
            #expect(shown.screen.contains("/r3") && !shown.screen.contains("/r2"), "\(shown.screen)")
            #expect(!shown.screen.contains("bskyauth: "), "\(shown.screen)")
        }

        @Test("an error is written when the pager has ended, and is how the command ends")
        func error() async throws {
            let home = try await Self.homeWithRecords()
            let answer = #"{"respond":{"status":500,"headers":{},"body":{"error":"Broken"}}}"#
            try await home.sandbox.setFaults(Self.secondPage(answer))
            let shown = try await home.runAtTerminal(
                Paths.program, Self.records, steps: [], environment: Self.script("cat; echo left"))
            #expect(shown.status == 11, "\(shown.screen)")
            let lines = shown.displays.last ?? []
            let left = try #require(lines.firstIndex(of: "left"), "\(lines)")
            let error = try #require(lines.firstIndex { $0.hasPrefix("bskyauth: ") }, "\(lines)")
            #expect(left < error && lines[..<left].contains { $0.contains("r2") }, "\(lines)")
        }

        @Test("Ctrl-C ends the command, but only when the user has left the pager")
        func interrupt() async throws {
            let home = try Home(try Sandbox())
            let shown = try await home.runAtTerminal(
                Paths.program, Self.help,
                // The key comes at once: less does not always notice an interrupt before the next key.
                steps: [.press("\u{3} ", at: Self.prompt), .press("q", at: Self.prompt)],
                environment: Self.less)
            #expect(shown.signal == SIGINT && shown.stepsLeft == 0 && shown.restored, "\(shown.screen)")
        }
    }
}
