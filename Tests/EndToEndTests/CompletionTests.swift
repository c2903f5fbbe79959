import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Completing a command line")
    struct CompletionTests {
        private static let installed = Shell.allCases.filter(\.isInstalled)

        @Test("each of the shells is here")
        func shells() {
            #expect(Self.installed == Shell.allCases)
        }

        @Test("Tab completes commands, options, accounts, methods and paths", arguments: installed)
        func completes(_ shell: Shell) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test", "--label", "work")
            try await home.logIn("bob.test")
            let before = try home.vaultContent()
            let folder = try home.folder("papers").path
            let completed = try await shell.complete(
                [
                    "bskyauth swi", "bskyauth hel", "bskyauth completion fi", "bskyauth accounts ren",
                    "bskyauth refresh --for", "bskyauth switch wo",
                    "bskyauth call -a al", "bskyauth logout bob.test wo", "bskyauth accounts show bo",
                    "bskyauth call app.bsky.feed.getTim", "bskyauth call -X proc",
                    "bskyauth call --home \(home.directory.path)/pap", "bskyauth vault remove-key key",
                    "bskyauth help exit", "bskyauth help -q accounts ren",
                ], in: home)
            #expect(completed.words["bskyauth swi"] == "switch")
            #expect(completed.words["bskyauth hel"] == "help")
            #expect(completed.words["bskyauth completion fi"] == "fish")
            #expect(completed.words["bskyauth accounts ren"] == "rename")
            #expect(completed.words["bskyauth refresh --for"] == "--force")
            #expect(completed.words["bskyauth switch wo"] == "work")
            #expect(completed.words["bskyauth call -a al"] == "alice.test")
            #expect(completed.words["bskyauth logout bob.test wo"] == "work")
            #expect(completed.words["bskyauth accounts show bo"] == "bob.test")
            #expect(completed.words["bskyauth call app.bsky.feed.getTim"] == "app.bsky.feed.getTimeline")
            #expect(completed.words["bskyauth call -X proc"] == "procedure")
            #expect(completed.words["bskyauth call --home \(home.directory.path)/pap"] == folder + "/")
            #expect(completed.words["bskyauth vault remove-key key"] == "key-file")
            #expect(completed.words["bskyauth help exit"] == "exit-codes")
            #expect(completed.words["bskyauth help -q accounts ren"] == "rename")
            #expect(!completed.screen.contains("bskyauth: "), "\(completed.screen)")
            #expect(try home.vaultContent() == before)
        }

        @Test("Tab completes the parameters of a method, and no space follows", arguments: installed)
        func parameters(_ shell: Shell) async throws {
            let home = try Home(try Sandbox())
            let (query, procedure) = (
                "bskyauth call app.bsky.feed.getTimeline", "bskyauth call app.bsky.video.uploadPart"
            )
            let lines = [
                "\(query) lim", "\(query) limit=5 cur", "\(query) limit=5 limi", "\(procedure) part",
                "bskyauth call com.example.a.getB lim", "bskyauth help app.bsky.feed.getTim",
                "bskyauth help app",
            ]
            let completed = try await shell.complete(lines, in: home)
            #expect(
                completed.words == [
                    lines[0]: "limit=", lines[1]: "cursor=", lines[3]: "partNumber==",
                    lines[5]: "app.bsky.feed.getTimeline",
                ])
            #expect(completed.screen.contains("\(query) limit=]]"), "\(completed.screen)")
        }

        @Test("a directory that is called like a command or an account is not meant", arguments: installed)
        func directories(_ shell: Shell) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            for name in ["vault", "alice.test", "app.bsky.feed.getTimeline"] { _ = try home.folder(name) }
            let (accounts, bundle) = ("bskyauth switch al", "bskyauth accounts import vau")
            let completed = try await shell.complete(
                ["bskyauth va", accounts, "bskyauth call app.bsky.feed.getTim", bundle], in: home)
            #expect(completed.words["bskyauth va"] == "vault")
            #expect(completed.words[accounts] == "alice.test")
            #expect(completed.words["bskyauth call app.bsky.feed.getTim"] == "app.bsky.feed.getTimeline")
            #expect(completed.words[bundle] == "vault/")
        }

        @Test(
            "where it would take a passphrase or a program no account is offered, nothing asked and nothing said",
            arguments: installed)
        func locked(_ shell: Shell) async throws {
            let home = try Home(try Sandbox(), key: [:])
            try await home.logIn("alice.test", environment: ["BSKYAUTH_PASSPHRASE": "warhorse"])
            let file = home.directory.appending(path: "passphrase")
            try Data("warhorse\n".utf8).write(to: file)
            let trace = home.directory.appending(path: "started")
            let keys = [
                [:], ["BSKYAUTH_PASSPHRASE": "warhorse"], ["BSKYAUTH_PASSPHRASE_FILE": file.path],
                ["BSKYAUTH_PASSPHRASE_COMMAND": "sh -c 'touch \(trace.path); echo horse'"],
                ["BSKYAUTH_KEY_FILE": home.directory.appending(path: "missing").path],
            ]
            for key in keys {
                let completed = try await shell.complete(
                    ["bskyauth switch al", "bskyauth call -a al", "bskyauth call app.bsky.feed.getTim"],
                    in: home, environment: key)
                #expect(
                    completed.words == [
                        "bskyauth call app.bsky.feed.getTim": "app.bsky.feed.getTimeline"
                    ])
                let screen = completed.screen
                #expect(!screen.contains("Passphrase") && !screen.contains("bskyauth: "), "\(screen)")
            }
            #expect(!FileManager.default.fileExists(atPath: trace.path))
            #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: "missing").path))
        }

        @Test("the vault and the key that the line names are the ones looked into", arguments: installed)
        func named(_ shell: Shell) async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let other = try Home(sandbox)
            try await other.logIn("bob.test")
            let key = other.directory.appending(path: "key").path
            let named = "bskyauth switch --home '\(other.vault.path)' --key-file \(key)"
            let completed = try await shell.complete(
                ["\(named) bo", "\(named) al", "bskyauth switch --home ~/nowhere al"], in: home)
            #expect(completed.words == ["\(named) bo": "bob.test"])
        }

        @Test("what a shell is told is a line a name, or nothing, and never an error")
        func answers() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test", "--label", "work")
            func ask(_ arguments: String..., key: [String: String] = [:]) async throws -> Program.Result {
                try await home.run(["---completion"] + arguments, environment: key)
            }
            let accounts = try await ask("switch", "--", "positional@0", "2", "0", "bskyauth", "switch", "")
            #expect(accounts.status == 0 && accounts.text == "work\nalice.test\n" && accounts.errors.isEmpty)
            for arguments in [
                ["switch", "--", "positional@0", "2", "0", "bskyauth", "switch", ""],
                ["gone", "--", "positional@0", "2", "0"], ["switch"], ["switch", "--", "--gone", "x", "y"],
                [],
            ] {
                let none = try await home.run(
                    ["---completion"] + arguments, environment: ["BSKYAUTH_HOME": "/nowhere"])
                #expect(none.status == 0 && none.errors.isEmpty, "\(arguments): \(none.errors)")
                #expect(["", "\n"].contains(none.text), "\(arguments): \(none.text)")
            }
        }
    }
}
