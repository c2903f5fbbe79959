import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("The scope of a login") struct LoginScopeTests {
        private static let view = "did:web:api.bsky.app%23bsky_appview"

        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox(accounts: ["alice.test"])
            home = try Home(sandbox)
        }

        @Test(
            "is refused before anything is sent if servers would grant nothing, with the right form",
            .covers("S4", "S5"),
            arguments: [
                ("include:app.bsky.authViewAll", "'include:app.bsky.authViewAll?aud=\(view)'"),
                ("include?nsid=app.bsky.authViewAll", "'include:app.bsky.authViewAll?aud=\(view)'"),
                ("include:app.bsky.authViewAll?aud=*", "'include:app.bsky.authViewAll?aud=\(view)'"),
                (
                    "rpc:app.bsky.feed.getTimeline?aud=did:web:api.bsky.app",
                    "'rpc:app.bsky.feed.getTimeline?aud=\(view)'"
                ),
                ("include:app.bsky.authViewSome", nil), ("include:authViewAll", nil),
                ("rpos:app.bsky.feed.post", nil),
                ("repo:app.bsky.*", nil), ("repo:app.bsky.feed.post?verb=create", nil),
                ("include:com.example.auth?aud=*", nil),
            ] as [(String, String?)])
        func faults(scope: String, form: String?) async throws {
            let refused = try await home.run(
                "login", "alice.test", "--scope", scope, "--scope", "blob:*/*", "--json")
            let error = try #require(refused.errorLine)
            #expect(refused.status == 64 && error.code == "usage" && error.message.contains("\"\(scope)\""))
            let next =
                form.map { "bskyauth login alice.test --scope \($0) --scope 'blob:*/*'" }
                ?? "correct it (bskyauth help login), or add --no-check to ask for it anyway"
            #expect(error.hint == next)
            #expect(try await sandbox.journal().isEmpty)
            let variable = try await home.run(
                "login", "alice.test", "--json", environment: ["BSKYAUTH_SCOPE": "atproto \(scope)"])
            #expect(variable.errorLine?.message == error.message)
            #expect(try await sandbox.journal().isEmpty)
            // The server leaves out what it does not know, or refuses it.
            _ = try await home.run(
                "login", "alice.test", "--scope", scope, "--scope", "blob:*/*", "--no-check")
            #expect(try await sandbox.journal().contains { $0["path"] as? String == "/oauth/par" })
        }

        @Test("stays in the next step of a login whose account was typed")
        func typedAccount() async throws {
            let refused = try await home.runAtTerminal(
                "login", "--scope", "include:app.bsky.authViewAll",
                steps: [.type("alice.test", at: "Handle, DID or server URL: ")], columns: 400)
            let next = "bskyauth login HANDLE --scope 'include:app.bsky.authViewAll?aud=\(Self.view)'"
            #expect(refused.status == 64 && refused.screen.contains(next), "\(refused.screen)")
        }

        @Test("of a client of one's own is checked as it will be asked for")
        func ownClient() async throws {
            try await home.succeed(
                "client", "init", "bot", "https://bot.example.com/", "--out", "site", "--no-check", "--scope",
                "include:app.bsky.authViewAll")
            let file = home.directory.appending(path: "site/oauth-client-metadata.json")
            _ = try await sandbox.post("/_sandbox/clients", String(contentsOf: file, encoding: .utf8))
            try await sandbox.resetJournal()
            let refused = try await home.run("login", "alice.test", "--client", "bot", "--json")
            #expect(refused.status == 64, "\(refused.errors)")
            #expect(refused.errorLine?.message.contains("\"include:app.bsky.authViewAll\"") == true)
            #expect(
                try await !sandbox.journal().contains {
                    ($0["path"] as? String)?.hasPrefix("/oauth/") == true
                })
            // With a scope of its own, the login does not ask for that of the client.
            try await home.succeed("login", "alice.test", "--client", "bot", "--scope", "atproto")
        }

        @Test(
            "is what the document of a client of one's own has, and nothing else", .covers("S5"),
            arguments: [[], ["--public"]])
        func declared(options: [String]) async throws {
            let made = try await home.run(
                [
                    "client", "init", "bot", "https://bot.example.com/", "--out", "site", "--scope",
                    "repo:a.b.c",
                ] + options)
            try #require(made.status == 0, "\(made.errors)")
            let file = home.directory.appending(path: "site/oauth-client-metadata.json")
            _ = try await sandbox.post("/_sandbox/clients", String(contentsOf: file, encoding: .utf8))
            try await sandbox.resetJournal()
            let refused = try await home.run(
                "login", "alice.test", "--client", "bot", "--scope", "repo:a.b.c", "--scope", "blob:*/*",
                "--json")
            #expect(
                refused.status == 64 && refused.errorLine?.code == "scope_not_declared", "\(refused.errors)")
            #expect(refused.errorLine?.message.hasPrefix("servers refuse blob:*/*, because") == true)
            #expect(
                refused.errorLine?.hint?.hasSuffix("login alice.test --scope repo:a.b.c --client bot") == true
            )
            #expect(
                try await !sandbox.journal().contains {
                    ($0["path"] as? String)?.hasPrefix("/oauth/") == true
                })
            let account = try await home.logIn("alice.test", "--client", "bot")
            #expect(account.scopes == ["atproto", "repo:a.b.c"])
        }

        @Test("is explained where a part of it grants nothing, or is not known")
        func remarks() async throws {
            let login = try await home.run(
                "login", "alice.test", "--scope", "include:app.bsky.authCreatePosts", "--scope",
                "include:com.example.auth")
            for line in [
                "include:app.bsky.authCreatePosts: permission 1 of the set grants nothing, because it needs an aud",
                "include:com.example.auth: its permissions are not known here",
            ] { #expect(login.errors.contains(line), "\(login.errors)") }
            let unchecked = try await home.run(
                "login", "alice.test", "--no-check", "--scope", "include:com.example.auth")
            #expect(!unchecked.errors.contains("not known here"))
        }

        @Test("is asked for again after the session has ended, in the words of the client's document")
        func again() async throws {
            let set = "include:app.bsky.authManageProfile"
            try await home.succeed(
                "client", "init", "bot", "https://bot.example.com/", "--out", "site", "--scope", set)
            let file = home.directory.appending(path: "site/oauth-client-metadata.json")
            _ = try await sandbox.post("/_sandbox/clients", String(contentsOf: file, encoding: .utf8))
            try await sandbox.setFaults(
                #"[{"match":{"grant":"authorization_code"},"action":{"amend":{"set":{"/scope":"#
                    + #""atproto repo:app.bsky.actor.profile"}}}}]"#)
            let alice = try await home.logIn("alice.test", "--client", "bot")
            #expect(alice.scopes == ["atproto", "repo:app.bsky.actor.profile"])
            try await sandbox.endSessions(of: alice.did)
            let ended = try await home.run("refresh", "--force", "--json")
            #expect(ended.status == 4, "\(ended.errors)")
            let hint = try #require(ended.errorLine?.hint)
            #expect(hint.hasSuffix(" --scope \(set)"), "\(hint)")
            try await run(String(try #require(hint.split(separator: ":  ", maxSplits: 1).last)))
        }

        @Test("gets the audience that a set lacks, after a call that needed it", .covers("S8"))
        func audience() async throws {
            // An older server keeps the text of the set.
            try await sandbox.setFaults(
                #"[{"match":{"grant":"authorization_code"},"action":{"amend":{"set":{"/scope":"#
                    + #""atproto include:app.bsky.authViewAll"}}}}]"#)
            try await home.succeed(
                "login", "alice.test", "--no-check", "--scope", "include:app.bsky.authViewAll")
            let method = "app.bsky.feed.getTimeline"
            for claim in ["rpc:\(method)?aud=\(Self.view)", "transition:generic"] {
                try await sandbox.setFaults(
                    Faults.answer(
                        method, 403,
                        body:
                            #"{"error":"ScopeMissingError","message":"Missing required scope \"\#(claim)\""}"#
                    ))
                let refused = try await home.run("call", method, "--json")
                #expect(refused.status == 8)
                let form = "'include:app.bsky.authViewAll?aud=\(Self.view)'"
                #expect(refused.errorLine?.hint == "bskyauth login alice.test --scope \(form)")
            }
            try await sandbox.setFaults("[]")
            try await run("bskyauth login alice.test --scope 'include:app.bsky.authViewAll?aud=\(Self.view)'")
        }

        /// Runs a command as it was shown.
        private func run(_ command: String) async throws {
            let words = command.replacing("bskyauth", with: Paths.program, maxReplacements: 1)
            let result = try await Program.run(
                "/bin/sh", ["-c", words], environment: home.environment, directory: home.directory)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }

        @Test("is compared with the grant by its meaning", .covers("R48", "S6"))
        func grant() async throws {
            func answer(_ scope: String) async throws {
                try await sandbox.setFaults(
                    #"[{"match":{"grant":"authorization_code"},"action":{"amend":{"set":{"/scope":"\#(scope)"}}}}]"#
                )
            }
            let profile = "repo?collection=app.bsky.actor.profile&collection=app.bsky.actor.status"
            let set = "include:app.bsky.authManageProfile"
            try await answer("atproto \(profile)&collection=app.bsky.notification.declaration")
            let all = try await home.succeed(
                "login", "alice.test", "--scope", "include?nsid=app.bsky.authManageProfile")
            #expect(!all.errors.contains("grant"), "\(all.errors)")
            try await answer("atproto \(profile)")
            let older = try await home.succeed("login", "alice.test", "--scope", set)
            #expect(
                older.errors.contains(
                    "the server granted less than \(set): it lacks "
                        + "repo:app.bsky.notification.declaration?action=create, "), "\(older.errors)")
            try await answer("atproto \(set) blob:*/*")
            let raw = try await home.succeed("login", "alice.test", "--scope", set, "--scope", "blob:*/*")
            #expect(raw.errors.contains("the server did not grant: \(set)\n"), "\(raw.errors)")
        }
    }
}
