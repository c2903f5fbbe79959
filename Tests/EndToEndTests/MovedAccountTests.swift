import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// The first sandbox has the directory, and is mostly the account's earlier server too.
    @Suite("An account that has moved to another server")
    struct MovedAccountTests {
        private static let read = ["call", "app.bsky.feed.getTimeline", "--json"]

        /// What a user does to move: the document names the new server, and the copy at the earlier one is deactivated.
        private func move(_ handle: String, from old: Sandbox, to new: Sandbox) async throws {
            try await old.post(
                "/_sandbox/accounts/update",
                #"{"handle":"\#(handle)","pds":"\#(new.address)","active":false}"#)
        }

        /// How often the directory was asked for documents.
        private func lookups(_ sandbox: Sandbox) async throws -> Int {
            try await sandbox.journal().filter {
                ($0["path"] as? String)?.removingPercentEncoding?.hasPrefix("/did:") == true
            }.count
        }

        @Test("is told in every command that needs its server, and the next step logs in there as before")
        func deactivated() async throws {
            let (old, new) = (try Sandbox(), try Sandbox())
            let home = try Home(old)
            try await home.logIn("alice.test", "--label", "work", "--scope", "transition:email")
            try await move("alice.test", from: old, to: new)
            try await old.resetJournal()
            let call = try await home.run(Self.read)
            #expect(call.status == 4 && call.errorLine?.code == "account_moved", "\(call.errors)")
            #expect(call.errorLine?.serverError == "AccountDeactivated" && call.errorLine?.http == 401)
            let server = new.address.replacing("http://", with: "")
            #expect(call.errors.contains("@alice.test (work) has moved to \(server)"), "\(call.errors)")
            let login = "bskyauth login alice.test --label work --scope transition:email"
            #expect(call.errorLine?.hint == "log in there:  \(login)")
            #expect(try await lookups(old) == 1)
            // For ten minutes the directory is not asked again.
            #expect(try await home.run(Self.read).errorLine?.code == "account_moved")
            #expect(try await lookups(old) == 1)

            // What needs no server says what is known.
            for command in [["accounts"], ["refresh", "--all"]] {
                let result = try await home.run(command)
                #expect(
                    result.status == 0 && result.errors.contains("has moved to \(server)"), "\(result.errors)"
                )
                #expect(result.errors.contains("log in there:  \(login)"), "\(result.errors)")
                let name = command == ["accounts"] ? "accounts" : "results"
                let items = try await home.run(command + ["--json"]).json?[name] as? [[String: Any]]
                #expect(items?.first?["moved_to"] as? String == new.address)
            }
            #expect(try await lookups(old) == 1)
            let check = try await home.run("accounts", "--check", "--json")
            #expect(check.errorLine?.code == "account_moved", "\(check.errors)")
            let doctor = try await home.run("doctor", "--json")
            #expect(doctor.errorLine?.code == "account_moved" && doctor.status == 4, "\(doctor.errors)")
            // After ten minutes a refresh compares the server with the document anyway.
            let account = try #require(try await home.accounts().first)
            try FileManager.default.removeItem(at: home.sessionCache(of: account))
            let refresh = try await home.run("refresh", "--force", "--json")
            #expect(refresh.errorLine?.code == "account_moved" && refresh.status == 4, "\(refresh.errors)")
            let item = (refresh.json?["results"] as? [[String: Any]])?.first
            #expect(item?["moved_to"] as? String == new.address)
            // So far the new server was only asked what anybody may ask.
            #expect(try await new.journal().allSatisfy { $0["auth"] is NSNull && $0["grant"] is NSNull })
            #expect(try await home.accounts().first?.state == "ok")

            let words = login.split(separator: " ").dropFirst().map(String.init)
            #expect(try await home.run(words + ["--json"]).status == 0)
            let accounts = try await home.accounts()
            #expect(accounts.count == 1 && accounts.first?.pds == new.address)
            #expect(try await !home.run("accounts").errors.contains("has moved"))
            let listed = try await home.run("accounts", "--json").json?["accounts"] as? [[String: Any]]
            #expect(listed?.first?["moved_to"] is NSNull)
            #expect(accounts.first?.scopes.contains("transition:email") == true)
            #expect(try await home.run("call", "com.atproto.server.getSession").status == 0)
        }

        @Test("is told when the earlier server is gone")
        func gone() async throws {
            let (directory, new) = (try Sandbox(), try Sandbox())
            let home = try Home(directory)
            var old: Sandbox? = try Sandbox()
            let address = try #require(old?.address)
            func document(names server: String) async throws {
                try await directory.post(
                    "/_sandbox/accounts/update", #"{"handle":"alice.test","pds":"\#(server)"}"#)
            }
            try await document(names: address)
            try await home.logIn("alice.test")
            old = nil
            // It may be down for a while: then the account has not moved.
            let down = try await home.run(Self.read)
            #expect(down.status == 12 && down.errorLine?.code == "not_connected", "\(down.errors)")
            let account = try #require(try await home.accounts().first)
            try await document(names: new.address)
            for command in [Self.read, ["refresh", "--force", "--json"], ["doctor", "--json"]] {
                try? FileManager.default.removeItem(at: home.sessionCache(of: account))
                let result = try await home.run(command)
                #expect(result.errorLine?.code == "account_moved" && result.status == 4, "\(result.errors)")
            }
            #expect(try await new.journal().allSatisfy { $0["auth"] is NSNull && $0["grant"] is NSNull })
        }

        @Test("with an app password is told too, and nothing of the session goes to the new server")
        func appPassword() async throws {
            let options = ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"]
            let (old, new) = (try Sandbox(options), try Sandbox())
            let home = try Home(old)
            try await home.succeed(
                "login", "alice.test", "--app-password", input: Data("abcd-efgh-ijkl-mnop\n".utf8))
            try await move("alice.test", from: old, to: new)
            let call = try await home.run(Self.read)
            #expect(call.status == 4 && call.errorLine?.code == "account_moved", "\(call.errors)")
            #expect(call.errorLine?.hint == "log in there:  bskyauth login alice.test --app-password")
            for command in [["accounts", "--check", "--json"], ["doctor", "--json"]] {
                let result = try await home.run(command)
                #expect(result.errorLine?.code == "account_moved", "\(result.errors)")
            }
            // The reference server refreshes the session of a deactivated account; another one may not.
            try await old.setFaults(
                #"[{"match":{"path":"/xrpc/com.atproto.server.refreshSession"},"action":{"respond":{"status":401,"body":{"error":"AccountDeactivated","message":"no"}}}}]"#
            )
            let refresh = try await home.run("refresh", "--force", "--json")
            #expect(refresh.errorLine?.code == "account_moved", "\(refresh.text) \(refresh.errors)")
            let accounts = try await home.run("accounts", "--json").json?["accounts"] as? [[String: Any]]
            #expect(accounts?.first?["state"] as? String == "ok")
            #expect(try await new.journal().isEmpty)
        }
    }
}
