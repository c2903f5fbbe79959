import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Inputs from descriptors")
    struct StandardInputTests {
        /// What standard input is (see standard_input.py).
        enum Kind: String, CaseIterable {
            case pipe, offset, socket, foreign, terminal, noProc = "no-proc"

            static var possible: [Self] {
                allCases.filter { geteuid() == 0 || ![.foreign, .noProc].contains($0) }
            }
        }

        private static let passphrase = "tr0ub4dor & 3"
        private static let password = "abcd-efgh-ijkl-mnop"

        /// A command that reads an input, and a file with what it reads.
        private struct Line {
            let arguments: [String]
            let content: String
            var isText = true
            var status: Int32 = 0
            /// Whether the command does something that can be done once.
            var isOnce = false
        }

        @Test("every command reads what is open, at its offset", arguments: Kind.possible)
        func everyCommand(kind: Kind) async throws {
            let home = try await home()
            for line in try await lines(home) where line.isText || kind != .terminal {
                for name in kind == .offset ? ["-", "/dev/stdin", "/proc/self/fd/0"] : ["/dev/fd/0"]
                where !line.isOnce || name != "/dev/stdin" && name != "/proc/self/fd/0" {
                    let result = try await run(line, named: name, as: kind.rawValue, home)
                    #expect(
                        result.status == line.status,
                        "\(kind) \(name) \(line.arguments): \(result.errors)")
                    #expect(!result.errors.contains("rm \(name)"))
                }
            }
        }

        @Test("a closed standard input is named, and nothing is read in its place") func closed() async throws
        {
            let home = try await home()
            for line in try await lines(home) {
                let result = try await run(line, named: "-", as: "closed", home)
                #expect([1, 5, 64].contains(result.status), "\(line.arguments): \(result.errors)")
                #expect(
                    result.errors.contains("standard input can't be read: it is closed"),
                    "\(line.arguments): \(result.errors)")
            }
        }

        @Test("a bundle that a terminal has cut is named, and nothing of it is opened") func cut()
            async throws
        {
            let home = try await home()
            try write(String(repeating: "A", count: 5000) + "\n", "long", home)
            let line = Line(
                arguments: [
                    "accounts", "import", "PATH", "--bundle-passphrase-file",
                    home.directory.path + "/passphrase",
                ],
                content: "long")
            let result = try await run(line, named: "-", as: Kind.terminal.rawValue, home)
            #expect(result.status == 1, "\(result.errors)")
            #expect(
                result.errors.contains("a terminal passes on 4095 characters of a line at most"),
                "\(result.errors)")
        }

        @Test("an app password comes from the next line, as the shell left it") func nextLine() async throws {
            let home = try await home()
            let file = home.directory.appending(path: "lines")
            try Data("wrong-wron-gwro-ngwr\n\(Self.password)\n".utf8).write(to: file)
            let login = "'\(Paths.program)' login alice.test --label line --app-password"
            let result = try await shell("{ read first; \(login); } < '\(file.path)'", home)
            #expect(result.status == 0, "\(result.errors)")
        }

        @Test("two inputs from one descriptor are refused, before anything is sent") func twice() async throws
        {
            let home = try await home()
            let program = "'\(Paths.program)'"
            let requests = try await home.sandbox.requests {
                for command in [
                    "call a.b.put --file a=- --input /dev/stdin",
                    "call a.b.put --file a=- --file b=/dev/fd/0",
                    "accounts import - --bundle-passphrase-file /proc/self/fd/0",
                    "login bob.test --app-password --passphrase-file -",
                ] {
                    let result = try await shell("echo '\(Self.passphrase)' | \(program) \(command)", home)
                    #expect(
                        result.status == 64 && result.errors.contains("can only be read once"),
                        "\(command): \(result.errors)")
                }
            }
            #expect(requests.isEmpty)
        }

        @Test("a descriptor must be open at the start, and two of them are two inputs") func others()
            async throws
        {
            let home = try await home()
            let call = "'\(Paths.program)' call a.b.put --dry-run --json"
            let two = try await shell("\(call) --file a=/dev/fd/3 --file b=- 3<<<three <<<zero", home)
            #expect(
                (two.json?["body"] as? [String: Any])?["text"] as? String == #"{"a":"three\n","b":"zero\n"}"#)
            for number in [3, 4, 5, 6, 7, 8, 9, 99] {
                let result = try await shell("\(call) --file a=/dev/fd/\(number) < /dev/null", home)
                #expect(
                    result.status == 64
                        && result.errors.contains("/dev/fd/\(number) can't be read: it is closed"),
                    "\(result.errors)")
            }
        }

        @Test("a key file from a descriptor is refused") func keyFile() async throws {
            let home = try await home()
            for name in ["-", "/dev/stdin", "/dev/fd/0"] {
                let result = try await shell(
                    "'\(Paths.program)' accounts --key-file \(name) < '\(home.directory.path)/key'", home)
                #expect(result.status == 5, "\(name): \(result.errors)")
                #expect(
                    result.errors.contains("a key file can't be read from standard input"), "\(result.errors)"
                )
            }
        }

        @Test("a new passphrase is the first line, and a second line is named") func secondLine() async throws
        {
            let home = try await home()
            let add = "'\(Paths.program)' vault add-key --label NAME --new-passphrase-file"
            let words = "only the first line of standard input was read"
            for (name, input, isNamed) in [
                ("a", "first horse\\nfirst horse\\n", true), ("b", "second horse\\n", false),
                ("c", "third horse", false),
            ] {
                let result = try await shell(
                    "printf '\(input)' | \(add.replacing("NAME", with: name)) -", home)
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.errors.contains(words) == isNamed, "\(name): \(result.errors)")
            }
        }

        @Test("an empty body is named, and sent") func emptyBody() async throws {
            let home = try await home()
            for (input, name) in [("/dev/null", "-"), ("/dev/null", "/dev/null")] {
                let result = try await shell(
                    "'\(Paths.program)' call com.atproto.repo.uploadBlob --dry-run --input \(name) < \(input)",
                    home)
                #expect(result.status == 0, "\(result.errors)")
                #expect(
                    result.errors.contains("the body is empty, but uploadBlob takes one"), "\(result.errors)")
            }
            let full = try await shell(
                "'\(Paths.program)' call com.atproto.repo.uploadBlob --dry-run --input - <<< x", home)
            #expect(full.status == 0 && !full.errors.contains("empty"), "\(full.errors)")
        }

        @Test("a passphrase opens the vault once, also for the removal of an account by its UUID")
        func removal() async throws {
            let home = try await home()
            let account = try #require(try await home.accounts().first)
            let removal = try await shell(
                "echo '\(Self.passphrase)' | '\(Paths.program)' logout \(account.id) --local-only --passphrase-file -",
                home)
            #expect(removal.status == 0, "\(removal.errors)")
        }

        // MARK: Helpers

        /// An account in a vault with a key file and a passphrase.
        private func home() async throws -> Home {
            let sandbox = try Sandbox(
                accounts: ["alice.test", "bob.test"], ["--app-password", "alice.test:\(Self.password)"])
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            try write(Self.passphrase + "\n", "passphrase", home)
            try await home.succeed(
                "vault", "add-key", "--new-passphrase-file", home.directory.path + "/passphrase")
            return home
        }

        private func lines(_ home: Home) async throws -> [Line] {
            let folder = home.directory.path
            try write(Self.password + "\n", "password", home)
            try write(#"{"n":1}"#, "body", home)
            try await home.succeed(
                "accounts", "export", "alice.test", "--copy", "--to", folder + "/bundle",
                "--bundle-passphrase-file",
                folder + "/passphrase")
            try await home.succeed(
                "call", "com.atproto.sync.getRepo", "did=\(try #require(try await home.active()).did)", "-o",
                folder + "/repo.car")
            try await home.succeed("client", "init", "web", "https://web.example.com/", "--out", "site")
            try write("{\(Self.publicKey)}", "public.jwk", home)
            try write(try await nodeSession(home), "node.json", home)
            try write("one-code\n", "code", home)
            let cid = try await home.succeed(
                "call", "com.atproto.repo.uploadBlob", "--input", folder + "/body", "--get",
                ".blob.ref.\"$link\""
            ).text.trimmingCharacters(in: .newlines)
            return [
                Line(
                    arguments: ["login", "alice.test", "--label", "app", "--app-password"],
                    content: "password"),
                Line(arguments: ["accounts", "--passphrase-file", "PATH"], content: "passphrase"),
                Line(arguments: ["vault", "passwd", "--new-passphrase-file", "PATH"], content: "passphrase"),
                Line(
                    arguments: [
                        "accounts", "import", folder + "/bundle", "--bundle-passphrase-file", "PATH",
                    ],
                    content: "passphrase"),
                Line(
                    arguments: [
                        "accounts", "import", "PATH", "--bundle-passphrase-file", folder + "/passphrase",
                    ], content: "bundle", isText: false),
                Line(arguments: ["call", "a.b.put", "--dry-run", "--input", "PATH"], content: "body"),
                Line(arguments: ["call", "a.b.put", "--dry-run", "--file", "a:=PATH"], content: "body"),
                Line(arguments: ["verify", "PATH"], content: "repo.car", isText: false),
                Line(arguments: ["verify", cid, "--blob", "PATH"], content: "body", isText: false),
                Line(
                    arguments: ["client", "keys", "web", "add", "other", "--public", "PATH"],
                    content: "public.jwk", isOnce: true),
                Line(
                    arguments: [
                        "accounts", "import", "--from", "oauth-client-node", "--client-id",
                        "https://app.example.com/client-metadata.json", "PATH",
                    ], content: "node.json"),
                // Nothing listens there. The code is read before.
                Line(
                    arguments: [
                        "login", "bob.test", "--client-assertions", "http://127.0.0.1:9",
                        "--enrol-code-file", "PATH",
                    ], content: "code", status: 12),
            ]
        }

        /// The key pair whose private half is 1.
        private static let publicKey =
            #""kty":"EC","crv":"P-256","x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY","y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU""#

        /// A session that @atproto/oauth-client-node saved, whose access token has ended.
        private func nodeSession(_ home: Home) async throws -> String {
            let did = try #require(try await home.active()).did
            let one = String(repeating: "A", count: 42) + "E"
            return """
                {"tokenSet":{"iss":"\(home.sandbox.address)","sub":"\(did)","aud":"\(home.sandbox.address)","scope":"atproto",\
                "access_token":"access","refresh_token":"refresh","token_type":"DPoP","expires_at":"2026-01-01T00:00:00Z"},\
                "dpopJwk":{\(Self.publicKey),"d":"\(one)"},"authMethod":{"method":"none"}}
                """
        }

        private func write(_ text: String, _ name: String, _ home: Home) throws {
            #expect(
                FileManager.default.createFile(
                    atPath: home.directory.appending(path: name).path, contents: Data(text.utf8),
                    attributes: [.posixPermissions: 0o600]))
        }

        private func run(
            _ line: Line, named name: String, as kind: String, _ home: Home
        ) async throws -> Program.Result {
            var environment = home.environment
            // An import goes into a vault of its own.
            if line.arguments.contains("import") {
                environment["BSKYAUTH_HOME"] = home.directory.appending(path: UUID().uuidString).path
            }
            let script = Paths.repository.appending(path: "Tests/EndToEndSupport/standard_input.py").path
            let arguments = line.arguments.map { $0.replacing("PATH", with: name) }
            return try await Program.run(
                Program.python,
                [script, kind, home.directory.path + "/" + line.content, Paths.program]
                    + arguments,
                environment: environment, directory: home.directory)
        }

        private func shell(_ script: String, _ home: Home) async throws -> Program.Result {
            try await Program.run(
                "/bin/bash", ["-c", script], environment: home.environment, directory: home.directory)
        }
    }
}
