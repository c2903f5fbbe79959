import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Scopes in words, and permission sets by name") struct ScopesTests {
        private static let view = "did:web:api.bsky.app%23bsky_appview"

        private let sandbox: Sandbox
        private let home: Home

        init() throws {
            sandbox = try Sandbox(accounts: ["alice.test"])
            home = try Home(sandbox)
        }

        @Test("a set is asked for by its last part, and its words come before the browser", .covers("S6"))
        func login() async throws {
            let login = try await home.succeed("login", "alice.test", "--permission", "authCreatePosts")
            let lines = login.errors.split(separator: "\n").map(String.init)
            let place = try #require(lines.firstIndex(of: "the session may:"))
            let open = try #require(
                lines.firstIndex { $0.contains("/oauth/authorize") || $0.contains("logged in") })
            #expect(place < open, "\(login.errors)")
            #expect(
                lines.contains {
                    $0.hasPrefix(
                        #"app.bsky.authCreatePosts (its author calls it "Create Bluesky Posts"): as in the lexicons of "#
                    )
                })
            #expect(lines.contains { $0.hasPrefix("  create records of app.bsky.feed.post") })
            #expect(
                lines.contains {
                    $0.hasPrefix("it may not: edit or delete any records; write other records; ")
                })
            #expect(
                lines.contains { $0.contains("add  --scope 'blob:image/*'  or  --scope blob:text/vtt") },
                "\(login.errors)")
            // The server grants all of it, and the words are the same for the session.
            #expect(!login.errors.contains("did not grant") && !login.errors.contains("granted less"))
            let set = "include:app.bsky.authCreatePosts?aud=\(Self.view)"
            let show = try await home.succeed("accounts", "show", "alice.test", "--json").json
            #expect((show?["account"] as? [String: Any])?["requested_scope"] as? String == "atproto \(set)")
            let permissions = try #require(show?["permissions"] as? [String: Any])
            let words = try #require(permissions["may"] as? [String])
            #expect(permissions["unknown"] as? [String] == [])
            #expect(words.contains { $0.hasPrefix("create records of app.bsky.feed.post") })
            let shown = try await home.succeed("accounts", "show", "alice.test")
            #expect(shown.text.contains("create records of app.bsky.feed.post"))
            let explained = try await home.succeed("scopes", "explain", "-a", "alice.test")
            #expect(explained.text.contains("Create Bluesky Posts"))
            #expect(explained.text.contains("it may not: edit or delete any records"))
            let refused = try await home.run(
                "call", "com.atproto.repo.deleteRecord", "collection=app.bsky.feed.post", "rkey=3k2aaaaaaaa2a"
            )
            #expect(refused.status == 8, "\(refused.errors)")
        }

        @Test("--frozen asks for what the set permits today, word for word")
        func frozen() async throws {
            try await home.succeed(
                "login", "alice.test", "--permission", "app.bsky.authManageProfile", "--frozen")
            let show = try await home.succeed("accounts", "show", "alice.test", "--json").json
            #expect(
                (show?["account"] as? [String: Any])?["requested_scope"] as? String
                    == "atproto repo?collection=app.bsky.actor.profile&collection=app.bsky.actor.status"
                    + "&collection=app.bsky.notification.declaration")
        }

        @Test(
            "a set that can't be asked for is refused before anything is sent, with the next step",
            arguments: [
                (
                    ["--permission", "authCreatePost"], "did you mean authCreatePosts?",
                    "bskyauth scopes sets"
                ),
                (
                    ["--permission", "app.bsky.authCreatePost"], "did you mean app.bsky.authCreatePosts?",
                    "bskyauth scopes sets"
                ),
                (["--permission", "nothing-like-it"], "no permission set", "bskyauth scopes sets"),
                (["--permission", "com.example.auth", "--frozen"], "not known here", "bskyauth help"),
                (["--aud", "did:web:api.bsky.app#bsky_appview"], "--permission", "bskyauth help"),
                (
                    ["--permission", "authViewAll", "--aud", "did:web:api.bsky.app"], "DID#SERVICE",
                    "bskyauth help"
                ),
            ])
        func refused(options: [String], says: String, hint: String) async throws {
            let refused = try await home.run(["login", "alice.test", "--json"] + options)
            #expect(
                refused.status == 64 && refused.errorLine?.message.contains(says) == true, "\(refused.errors)"
            )
            #expect(refused.errorLine?.hint?.hasPrefix(hint) == true, "\(refused.errors)")
            #expect(try await sandbox.journal().isEmpty)
        }

        @Test("scopes are explained without a vault, and a wrong one names the right form")
        func explain() async throws {
            let explained = try await home.succeed(
                "scopes", "explain", "repo:app.bsky.feed.post?action=create", "--json")
            #expect(explained.json?["may"] as? [String] == ["create records of app.bsky.feed.post"])
            #expect((explained.json?["may_not"] as? [String])?.contains("upload files") == true)
            #expect(!FileManager.default.fileExists(atPath: home.vault.path))
            let set = try await home.run("scopes", "explain", "include:app.bsky.authViewAll", "--json")
            #expect(set.status == 64)
            #expect(
                set.errorLine?.hint
                    == "bskyauth scopes explain 'include:app.bsky.authViewAll?aud=\(Self.view)'")
        }

        @Test(
            "the smallest scope of a call comes first, then the sets that have it",
            arguments: [
                (
                    ["com.atproto.repo.createRecord", "collection=app.bsky.feed.post"],
                    ["repo:app.bsky.feed.post?action=create"], "app.bsky.authCreatePosts"
                ),
                (
                    ["app.bsky.notification.listNotifications"],
                    ["rpc:app.bsky.notification.listNotifications?aud=\(view)"],
                    "app.bsky.authManageNotifications"
                ),
                (
                    ["chat.bsky.convo.listConvos", "--chat"],
                    ["rpc:chat.bsky.convo.listConvos?aud=did:web:api.bsky.chat%23bsky_chat"],
                    "chat.bsky.authFullChatClient"
                ),
                (["com.atproto.repo.uploadBlob", "--content-type", "image/jpeg"], ["blob:image/jpeg"], nil),
                (["com.atproto.server.getSession"], [], nil),
            ] as [([String], [String], String?)])
        func needed(call: [String], scopes: [String], set: String?) async throws {
            let needed = try await home.run(["scopes", "needed", "--json"] + call)
            #expect(needed.status == 0, "\(needed.errors)")
            #expect(needed.json?["scopes"] as? [String] == scopes)
            let sets = try #require(needed.json?["sets"] as? [[String: Any]])
            #expect(sets.first?["set"] as? String == set)
            let text = try await home.run(["scopes", "needed"] + call)
            #expect(text.text.split(separator: "\n").first.map(String.init) == scopes.first)
        }

        @Test("a call whose scope is not known says how to find out")
        func unknown() async throws {
            let upload = try await home.run("scopes", "needed", "com.atproto.repo.uploadBlob", "--json")
            #expect(
                upload.status == 64 && upload.errorLine?.hint?.hasSuffix("--content-type image/jpeg") == true)
            let foreign = try await home.run("scopes", "needed", "com.example.thing.get", "--json")
            #expect(foreign.status == 64 && foreign.errorLine?.hint?.hasSuffix("--proxy DID#SERVICE") == true)
            let never = try await home.run(
                "scopes", "needed", "com.atproto.server.createAppPassword", "--json")
            #expect(never.status == 64 && never.errorLine?.code == "never_by_oauth")
        }

        @Test(
            "the next step of a call whose scope is not known leads to it",
            arguments: [
                "com.atproto.repo.uploadBlob", "com.atproto.repo.uploadBlob --content-type image",
                "com.atproto.repo.createRecord", "com.atproto.repo.applyWrites",
                "com.atproto.server.getServiceAuth",
                "app.bsky.notification.registerPush", "chat.bsky.convo.getLog",
            ])
        func nextStep(call: String) async throws {
            let words = call.split(separator: " ").map(String.init)
            let failed = try await home.run(["scopes", "needed", "--json"] + words)
            let hint = try #require(failed.errorLine?.hint)
            #expect(
                failed.status == 64 && hint.hasPrefix("bskyauth scopes needed \(words[0]) "),
                "\(failed.errors)")
            let command = hint.replacing("bskyauth", with: Paths.program, maxReplacements: 1)
            let next = try await Program.run(
                "/bin/sh", ["-c", command], environment: home.environment, directory: home.directory)
            #expect(next.status == 0 && !next.text.isEmpty, "\(hint): \(next.errors)")
        }

        @Test("a service needs a permission also for what the account's own server lets everybody do")
        func services() async throws {
            for place in ["--service", "--proxy"] {
                let needed = try await home.succeed(
                    "scopes", "needed", "com.atproto.identity.resolveHandle", "handle=a.example", place,
                    "did:web:a.example#x", "--json")
                let scopes = try #require(needed.json?["scopes"] as? [String])
                #expect(scopes.first?.hasPrefix("rpc:com.atproto.identity.resolveHandle?aud=") == true)
            }
            let put = try await home.succeed(
                "scopes", "needed", "com.atproto.repo.putRecord", "collection=a.b.c", "rkey=x")
            #expect(put.text.hasPrefix("repo:a.b.c?action=create&action=update\n"), "\(put.text)")
        }

        @Test("the sets are listed with their words")
        func sets() async throws {
            let sets = try await home.succeed("scopes", "sets", "--json")
            #expect((sets.json?["sets"] as? [Any])?.count == 10)
            let text = try await home.succeed("scopes", "sets").text
            #expect(text.contains("app.bsky.authCreatePosts  \"Create Bluesky Posts\"\n"))
        }

        @Test("a client's document is checked, and has a set word for word")
        func client() async throws {
            let refused = try await home.run(
                "client", "init", "bot", "https://bot.example.com/", "--out", "site", "--scope", "rpos:x.y.z",
                "--json",
                in: home.directory)
            #expect(refused.status == 64 && refused.errorLine?.message.contains("rpos:x.y.z") == true)
            #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: "site").path))
            try await home.succeed(
                "client", "init", "bot", "https://bot.example.com/", "--out", "site", "--permission",
                "authCreatePosts",
                in: home.directory)
            let list = try await home.succeed("client", "list", "--json")
            #expect(list.text.contains("include:app.bsky.authCreatePosts?aud=\(Self.view)"), "\(list.text)")
        }
    }
}
