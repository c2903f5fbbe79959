import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Runs the examples of the manuals as they are written.
    @Suite("The examples of the manuals")
    struct ManualTests {
        /// The examples of a page. Each is a script.
        private static func examples(_ page: String) throws -> [String] {
            let text = try String(
                contentsOf: Paths.repository.appending(path: "man/\(page)"), encoding: .utf8)
            let section = try #require(text.components(separatedBy: "\n.Sh EXAMPLES\n").dropFirst().first)
                .components(separatedBy: "\n.Sh ")[0]
            return section.components(separatedBy: "\n.Bd -literal -offset indent\n").dropFirst().map {
                part in
                typed(part.components(separatedBy: "\n.Ed")[0])
            }
        }

        @Test("help shows a command or a section of the manuals, and refuses what is neither")
        func help() async throws {
            let home = try Home(try Sandbox())
            let whole = try await home.run("help")
            #expect(whole.status == 0 && whole.text.contains("\n  exit-codes  "), "\(whole.text)")
            let topic = try await home.run("help", "exit-codes")
            #expect(topic.status == 0 && topic.text.hasPrefix("0       Success"), "\(topic.text)")
            let facets = try await home.run("help", "facets")
            #expect(
                facets.status == 0 && facets.text.contains("A mention is ‘@’ and a handle."), "\(facets.text)"
            )
            let command = try await home.run("help", "accounts", "pin")
            #expect(command.status == 0 && command.text.contains("USAGE: bskyauth accounts pin"))
            let method = try await home.run("help", "app.bsky.actor.getProfile")
            #expect(
                method.status == 0 && method.text.contains("\n  actor  string  required\n"), "\(method.text)")
            let misspelt = try await home.run("help", "app.bsky.actor.getProfil")
            #expect(misspelt.status == 64 && misspelt.output.isEmpty)
            #expect(
                misspelt.errors.hasSuffix("?\n  bskyauth help app.bsky.actor.getProfile\n"),
                "\(misspelt.errors)")
            for (words, near) in [
                (["getTimeline"], "app.bsky.feed.getTimeline"), (["post"], "examples"),
                (["follow"], "examples"),
                (["exmples"], "examples"), (["acounts"], "accounts"), (["accounts", "pinn"], "accounts pin"),
                (["pin"], "accounts pin"), (["export"], "accounts export"), (["unlock"], "vault unlock"),
            ] {
                let other = try await home.run(["help"] + words)
                #expect(other.status == 64 && other.output.isEmpty)
                #expect(
                    other.errors.hasSuffix("; did you mean \(near)?\n  bskyauth help \(near)\n"),
                    "\(other.errors)")
            }
            for words in [["nonsense"], ["accounts", "nonsense"], ["exit-codes", "call"]] {
                let neither = try await home.run(["help"] + words)
                #expect(neither.status == 64 && neither.output.isEmpty)
                #expect(
                    neither.errors == """
                        bskyauth: "\(words.joined(separator: " "))" is neither a command nor a topic
                          bskyauth help

                        """)
            }
        }

        /// What a reader sees of the escapes that scripts/dev/generate writes.
        private static func typed(_ text: String) -> String {
            [#"\-"#: "-", #"\(aq"#: "'", #"\(ga"#: "`", #"\(ti"#: "~", #"\(ha"#: "^", #"\&"#: ""]
                .reduce(text) { $0.replacing($1.key, with: $1.value) }.replacing(#"\e"#, with: #"\"#)
        }

        @Test("bskyauth(1) is enough to log in, post a record and read it back")
        func firstPage() async throws {
            let examples = try Self.examples("bskyauth.1")
            try #require(examples.count == 9)
            let place = try Examples()
            // The first three are what a new user does.
            let read = try await place.run(examples[..<3].joined(separator: "\n"))
            #expect(read.text.contains(#""text":"Hello!""#), "\(read.text)")
            let rest = try await place.run(examples[3...].joined(separator: "\n"))
            #expect(rest.text.hasPrefix("It's 100% \"quoted\"\n"), "\(rest.text)")
            let left = try await place.run("bskyauth accounts")
            #expect(left.text.contains("alice.example.com") && !left.text.contains("bot.example.com"))
        }

        @Test("bskyauth(1) is enough at a terminal that asks for a passphrase")
        func newUser() async throws {
            let place = try Examples(key: [:])
            let example = try Self.examples("bskyauth.1")[..<3].joined(separator: "\n")
            let prompts = [
                "New passphrase (at least 8 characters): ", "Repeat the passphrase: ", "vault: ", "vault: ",
            ]
            let result = try await place.home.runAtTerminal(
                "/bin/bash", ["-euo", "pipefail", "-c", example],
                steps: prompts.map { .typeHidden("correct horse", at: $0) },
                environment: ["PATH": place.path])
            #expect(result.status == 0 && result.stepsLeft == 0, "\(result.screen)")
            #expect(result.screen.contains("Hello!"), "\(result.screen)")
        }

        @Test(
            "the examples of the other pages do what they say",
            arguments: [
                "accounts", "call", "client", "completion", "doctor", "help", "login", "logout", "refresh",
                "resolve", "service-token", "switch", "token", "vault", "verify", "whoami",
            ])
        func otherPages(_ command: String) async throws {
            let place = try Examples()
            if command != "login" { try await place.logIn() }
            let examples = try Self.examples("bskyauth-\(command).1")
            try #require(!examples.isEmpty)
            for example in examples {
                // These need another machine, a person, a kernel keyring, a desktop, a web host or a service.
                let canRun = ![
                    "pds.example.com", "--no-browser", "pass show", "vault unlock", "vault remember",
                    "client check", "client join", "server.json", "https://video.bsky.app",
                    "--client-assertions", "https://public.api.bsky.app",
                ]
                .contains { example.contains($0) }
                if canRun { try await place.run(example) }
            }
        }
    }
}
