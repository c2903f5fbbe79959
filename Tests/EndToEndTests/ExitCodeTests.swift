import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// The table of exit codes in one place: each by the real program, in a situation of its own.
    @Suite("Exit codes")
    struct ExitCodeTests {
        private static let nsid = "com.atproto.server.getSession"

        struct Situation: CustomTestStringConvertible, Sendable {
            let code: Int32
            let testDescription: String
            let run: @Sendable (Home) async throws -> Program.Result
        }

        private static let situations = [
            Situation(code: 0, testDescription: "a refresh that was not needed") { home in
                try await home.run("refresh")
            },
            Situation(code: 1, testDescription: "an answer that can't be put where it should go") { home in
                try await home.run("call", nsid, "-o", "absent/answer")
            },
            Situation(code: 2, testDescription: "a login that was declined") { home in
                try await home.run("login", "bob.test", browser: "reject")
            },
            Situation(code: 4, testDescription: "no account is active") { home in
                try await home.succeed("logout", "alice.test")
                return try await home.run("call", nsid)
            },
            Situation(code: 5, testDescription: "a key that opens nothing") { home in
                let key = try home.recipientKey()
                return try await home.run("call", nsid, environment: ["BSKYAUTH_KEY_FILE": key])
            },
            Situation(code: 6, testDescription: "an account that there is not") { home in
                try await home.run("call", "-a", "nobody.test", nsid)
            },
            Situation(code: 7, testDescription: "a header that is cut short") { home in
                try Data("{".utf8).write(to: home.vault.appending(path: "vault.json"))
                return try await home.run("call", nsid)
            },
            Situation(code: 8, testDescription: "a scope that the session has not") { home in
                try await home.logIn(
                    "alice.test", "--label", "small", "--scope", "atproto", "--scope",
                    "repo:app.bsky.feed.like")
                return try await home.run(
                    "call", "-a", "small", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
                    "record[text]=a")
            },
            refused(code: 9, "a limit that is used up", 429, #"{"error":"RateLimitExceeded"}"#),
            refused(code: 10, "a call that the server refuses", 400, #"{"error":"InvalidRequest"}"#),
            refused(code: 11, "a server that fails", 502, #"{"error":"UpstreamFailure"}"#),
            Situation(code: 12, testDescription: "a server that does not answer in time") { home in
                try await home.sandbox.setFaults(
                    #"[{"match":{"path":"/xrpc/\#(nsid)"},"action":{"delay":"8s","when":"after"}}]"#)
                return try await home.run("call", nsid, "--http-timeout", "1s")
            },
            Situation(code: 13, testDescription: "somebody else than was to log in") { home in
                try await home.run("login", "bob.test", browser: "as alice.test")
            },
            Situation(code: 64, testDescription: "an option that there is not") { home in
                try await home.run("call", "--colour", nsid)
            },
            Situation(code: 75, testDescription: "nobody at the browser") { home in
                try await home.run("login", "bob.test", "--timeout", "1s", browser: "close")
            },
            Situation(code: 126, testDescription: "a program that can't be started") { home in
                try await home.run("exec", "--", "/etc/passwd")
            },
            Situation(code: 127, testDescription: "a program that there is not") { home in
                try await home.run("exec", "--", "no-such-program")
            },
            signalled(code: 130, "INT"),
            signalled(code: 143, "TERM"),
        ]

        private static func refused(
            code: Int32, _ description: String, _ status: Int, _ body: String
        ) -> Situation {
            Situation(code: code, testDescription: description) { home in
                try await home.sandbox.setFaults(Faults.answer(nsid, status, body: body))
                return try await home.run("call", nsid)
            }
        }

        /// As a shell sees it: the program ends by the signal, not by a status of its own.
        private static func signalled(code: Int32, _ signal: String) -> Situation {
            Situation(code: code, testDescription: "interrupted by SIG\(signal)") { home in
                let browser = ["BSKYAUTH_BROWSER": "sh -c 'kill -\(signal) $PPID'"]
                return try await Program.run(
                    "/bin/sh", ["-c", "\"$0\" login bob.test; exit $?", Paths.program],
                    environment: home.environment.merging(browser) { $1 }, directory: home.directory)
            }
        }

        @Test("have a situation here for each that the manual has") func complete() throws {
            let manual = try String(
                contentsOf: Paths.repository.appending(path: "man/src/bskyauth.mdoc"), encoding: .utf8)
            let section = try #require(manual.components(separatedBy: ".Sh EXIT STATUS\n").last)
                .components(separatedBy: "\n.El")[0]
            let codes = section.split(separator: "\n").filter { $0.hasPrefix(".It ") }.flatMap {
                $0.split(whereSeparator: { !$0.isNumber }).compactMap { Int32($0) }
            }
            #expect(codes.sorted() == Self.situations.map(\.code).sorted())
            let guide = try String(
                contentsOf: Paths.repository.appending(path: "docs/scripts.md"), encoding: .utf8)
            let rows = guide.matches(of: /(?m)^\| ([\d, ]+) \|/).flatMap { row in
                row.output.1.split(separator: ", ").compactMap { Int32($0) }
            }
            #expect(rows == codes, "docs/scripts.md")
        }

        @Test(
            "are what the table says, with words for a person and no data", .covers("C14"),
            arguments: situations.filter { $0.code != 2 || ServerProfile.current.bringsRejectionsBack })
        func table(_ situation: Situation) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let result = try await situation.run(home)
            #expect(!result.wasSignalled && result.status == situation.code, "\(result.errors)")
            if situation.code != 0, situation.code < 128 {
                #expect(result.output.isEmpty)
                #expect(result.errors.contains("bskyauth: "), "\(result.errors)")
            }
        }
    }
}
