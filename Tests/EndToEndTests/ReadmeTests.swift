import EndToEndSupport
import Foundation
import TestPrograms
import Testing

extension EndToEnd {
    /// The examples of README.md, run as they are written: each block is a script of its own.
    ///
    /// Only places of other machines are replaced by places in the home of the test; see ``Examples``.
    @Suite("The examples of README.md")
    struct ReadmeTests {
        /// A block, by a line in it that no other block has.
        enum Block: String, CaseIterable {
            case firstSteps = "$ bskyauth login"
            case developer = "bskyauth switch bot"
            case moving = "bskyauth accounts import bot.bundle"
            case vault = "bskyauth vault restore  "
            case doctor = "bskyauth doctor  "
            case script = "uploadBlob --input photo.jpg"
            case token = "bskyauth token --dpop"
            case sandbox = "bskyauth-sandbox serve"
            case job = "BSKYAUTH_HOME=/var/lib/bot/vault"
            case runner = "gh secret set BSKYAUTH_BUNDLE <"
        }

        private static func blocks() throws -> [String] {
            let text = try String(contentsOf: Paths.repository.appending(path: "README.md"), encoding: .utf8)
            let parts = text.components(separatedBy: "\n```")
            // Every second part is inside of a fence, after the name of its language.
            return stride(from: 1, to: parts.count, by: 2).compactMap { index in
                let part = parts[index]
                guard part.hasPrefix("sh\n") || part.hasPrefix("console\n") else { return nil }
                return part.drop { $0 != "\n" }.dropFirst().description
            }
        }

        private static func text(of block: Block) throws -> String {
            let found = try blocks().filter { $0.contains(block.rawValue) }
            try #require(found.count == 1, "\(found.count) blocks say \"\(block.rawValue)\"")
            return found[0]
        }

        private let examples: Examples
        private var home: Home { examples.home }
        private var folder: URL { home.directory }

        init() throws { examples = try Examples() }

        @discardableResult
        private func run(_ script: String, _ more: [String: String] = [:]) async throws -> Program.Result {
            try await examples.run(script, more)
        }

        private func run(
            _ block: Block, replacing places: [(String, String)] = [], _ more: [String: String] = [:]
        ) async throws {
            var script = try Self.text(of: block)
            if block == .firstSteps { script = script.replacing("$ bskyauth", with: "bskyauth") }
            for (place, other) in places {
                try #require(script.contains(place), "\(place)")
                script = script.replacing(place, with: other)
            }
            try await run(script, more)
        }

        private func logIn() async throws { try await examples.logIn() }

        @Test("every block is one that is run here, or the two set-up commands")
        func complete() throws {
            for text in try Self.blocks() where !text.contains("scripts/demo") {
                #expect(Block.allCases.contains { text.contains($0.rawValue) }, "\(text)")
            }
            for block in Block.allCases { _ = try Self.text(of: block) }
        }

        @Test("first steps") func firstSteps() async throws { try await run(.firstSteps) }

        @Test("a developer's day") func developer() async throws { try await run(.developer) }

        @Test("moving an account") func moving() async throws {
            try await logIn()
            try await run(.moving)
        }

        @Test("the vault", .enabled(if: VaultUnlockTests.isPossible, "the kernel keeps no keys here"))
        func vault() async throws {
            let passphrase = ["BSKYAUTH_KEY_FILE": "", "BSKYAUTH_PASSPHRASE_FILE": "pass.txt"]
            try await run("bskyauth login alice.example.com", passphrase)
            // On a terminal it asks; the rest is as it is there.
            try await run(
                .vault, replacing: [("vault passwd ", "vault passwd --new-passphrase-file new.txt ")],
                passphrase)
        }

        @Test("looking for what is wrong") func doctor() async throws {
            try await logIn()
            try await run(.doctor, ["BROWSER": "curl"])
        }

        @Test("scripts") func script() async throws {
            try await logIn()
            let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
            try await run(.script, replacing: [("~/.config/bskyauth.key", key)])
            try await run(.token)
        }

        @Test("a network of one's own")
        func sandbox() async throws {
            // What it starts in the background ends with its shell.
            let script = try Self.text(of: .sandbox)
            try await run("trap 'kill $(jobs -p)' EXIT\n\(script)", ["BSKYAUTH_DEV_NETWORK": ""])
        }

        @Test("a job that keeps its vault")
        func job() async throws {
            try await logIn()
            try await run(
                .job,
                replacing: [
                    ("/var/lib/bot/vault", home.vault.path),
                    ("/run/secrets/bskyauth.key", folder.appending(path: "key").path),
                ])
        }

        @Test("a job that keeps nothing but a secret")
        func runner() async throws {
            try await run("head -c 32 /dev/urandom > ci.key && chmod 600 ci.key")
            try await logIn()
            let parts = try Self.text(of: .runner).components(separatedBy: "\n\n")
            try #require(parts.count == 2)
            try await run(parts[0])
            let bundle = try String(contentsOf: folder.appending(path: "stored"), encoding: .utf8)
            let job = [
                "RUNNER_TEMP": folder.path, "BUNDLE": bundle,
                "BSKYAUTH_HOME": folder.appending(path: "runner").path,
            ]
            try await run(parts[1], job)
            try await run(
                "bskyauth refresh --force",
                job.merging([
                    "BSKYAUTH_KEY_FILE": folder.appending(path: "ci.key").path,
                    "BSKYAUTH_RECIPIENT_KEY": folder.appending(path: "ci.key").path,
                    "BSKYAUTH_AFTER_ROTATION": "gh secret set BSKYAUTH_BUNDLE",
                ]) { $1 })
            let renewed = try String(contentsOf: folder.appending(path: "stored"), encoding: .utf8)
            #expect(renewed != bundle && renewed.contains("bundle"))
        }
    }
}
