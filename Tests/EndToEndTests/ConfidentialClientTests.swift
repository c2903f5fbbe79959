import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// A client of the user's own, with a key. Its document is registered at the sandbox as it is written.
    @Suite("A confidential client") struct ConfidentialClientTests {
        private let home: Home

        init() async throws {
            home = try Home(try Sandbox(accounts: ["alice.test"]))
            try await home.succeed("client", "init", "bot", "https://bot.example.com/", "--out", "site")
        }

        private func publish() async throws {
            let file = home.directory.appending(path: "site/oauth-client-metadata.json")
            _ = try await home.sandbox.post("/_sandbox/clients", String(contentsOf: file, encoding: .utf8))
        }

        private func logIn() async throws {
            try await publish()
            try await home.succeed("login", "alice.test", "--client", "bot", "--label", "bot")
        }

        private func paths() async throws -> [String] {
            try await home.sandbox.journal().compactMap { $0["path"] as? String }
        }

        private func sessionDates() async throws -> [String: Date] {
            let result = try await home.succeed("accounts", "--json")
            let account = try #require((result.json?["accounts"] as? [[String: Any]])?.first)
            let format = ISO8601DateFormatter()
            return account.compactMapValues { ($0 as? String).flatMap { format.date(from: $0) } }
        }

        @Test("logs in, calls, refreshes and logs out with the same key") func wholeSession() async throws {
            try await logIn()
            try await home.succeed("call", "com.atproto.server.getSession")
            try await home.succeed("refresh", "--force")
            let logout = try await home.succeed("logout", "bot", "--json")
            let results = logout.json?["results"] as? [[String: Any]]
            #expect(results?.first?["revoked"] as? String == "confirmed")
            let journal = try await home.sandbox.journal()
            let forms = journal.filter { ($0["path"] as? String)?.hasPrefix("/oauth/") == true }
            #expect(!forms.isEmpty)
            let answers = forms.compactMap { $0["status"] as? Int }.filter { $0 >= 400 }
            // The challenge for a nonce, and the refresh that confirms the logout.
            #expect(answers.allSatisfy { $0 == 400 || $0 == 401 })
        }

        @Test("a login with a key that the server does not know yet says why, and leads to the earlier key")
        func unknownKey() async throws {
            try await publish()
            try await home.succeed("client", "keys", "bot", "add", "new")
            let refused = try await home.run("login", "alice.test", "--client", "bot", "--json")
            #expect(
                refused.status != 0 && refused.errorLine?.message.contains("the key new") == true,
                "\(refused.errors)")
            #expect(refused.errorLine?.message.contains("for 10 minutes to an hour") == true)
            let hint = try #require(refused.errorLine?.hint)
            let command = try #require(hint.split(separator: ":  bskyauth ").dropFirst().first)
            let words = command.split(separator: " ").map(String.init)
            #expect(words.count == 5 && words.last?.hasPrefix("--client-key=") == true, "\(hint)")
            try await home.succeed(words[0], words[1], words[2], words[3], words[4])
            // An hour later, the servers would know a key that was published, and the earlier one may be retired.
            if Later.isPossible {
                let later = try await home.run(
                    "login", "alice.test", "--client", "bot", "--json", environment: Later.by(seconds: 3700))
                #expect(
                    later.errorLine?.hint?.hasSuffix(":  bskyauth client check bot") == true,
                    "\(later.errors)")
            }
            try await home.succeed("client", "write", "bot", "--ignore-published")
            try await publish()
            try await home.succeed("login", "alice.test", "--client", "bot")
        }

        @Test("shows both ends of its session") func ends() async throws {
            try await logIn()
            let dates = try await sessionDates()
            let created = try #require(dates["session_created_at"])
            #expect(dates["session_ends_at"] == created.addingTimeInterval(730.5 * 86400))
            #expect(dates["idle_ends_at"] == created.addingTimeInterval(90 * 86400))
        }

        private struct ServerSession: Decodable {
            let clientID: String
            let endsAt: Date
            let idleEndsAt: Date

            enum CodingKeys: String, CodingKey {
                case clientID = "client_id"
                case endsAt = "ends_at"
                case idleEndsAt = "idle_ends_at"
            }
        }

        /// The sessions as the server knows them.
        private func serverSessions() async throws -> [ServerSession] {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .custom { decoder in
                let text = try decoder.singleValueContainer().decode(String.self)
                return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            }
            let data = try await home.sandbox.get("/_sandbox/sessions")
            return try decoder.decode([String: [ServerSession]].self, from: data)["sessions"] ?? []
        }

        @Test(
            "ends when accounts says so, also under a moved clock, and so does a public one",
            .enabled(if: Later.isPossible, "there is no faketime here"))
        func sameDates() async throws {
            try await logIn()
            try await home.succeed("login", "alice.test", "--label", "public")
            #expect(try await refresh(afterDays: 13, more: 13).status == 0)
            let later = Later.by(seconds: 13 * 86400)
            #expect(try await home.run("refresh", "--force", "public", environment: later).status == 0)
            let result = try await home.succeed("accounts", "--json")
            let accounts = try #require(result.json?["accounts"] as? [[String: Any]])
            let sessions = try await serverSessions()
            #expect(accounts.count == 2 && sessions.count == 2)
            let format = ISO8601DateFormatter()
            for account in accounts {
                let session = try #require(sessions.first { $0.clientID == account["client_id"] as? String })
                func date(_ name: String) -> Date? {
                    (account[name] as? String).flatMap { format.date(from: $0) }
                }
                let end = try #require(date("session_ends_at"))
                #expect(abs(end.timeIntervalSince(session.endsAt)) <= 5)
                guard account["label"] as? String == "bot" else { continue }
                // Other servers have 90 days and not a quarter of a year, so that is what is shown for all.
                let idle = try #require(date("idle_ends_at")).addingTimeInterval((365.25 / 4 - 90) * 86400)
                #expect(abs(idle.timeIntervalSince(session.idleEndsAt)) <= 5)
            }
        }

        /// Moves the time of the server and of the program.
        private func refresh(afterDays days: Int, more: Int) async throws -> Program.Result {
            try await home.sandbox.advanceClock("\(more)d")
            return try await home.run(
                "refresh", "--force", "bot", environment: Later.by(seconds: days * 86400))
        }

        @Test(
            "lives two years if it is refreshed every 60 days; a public client beside it ends after 14",
            .enabled(if: Later.isPossible, "there is no faketime here"))
        func longSession() async throws {
            try await logIn()
            try await home.succeed("login", "alice.test", "--label", "public")
            let first = try await refresh(afterDays: 13, more: 13)
            #expect(first.status == 0, "\(first.errors)")
            try await home.sandbox.advanceClock("2d")
            let later = Later.by(seconds: 15 * 86400)
            #expect(try await home.run("refresh", "--force", "bot", environment: later).status == 0)
            let ended = try await home.run("refresh", "--force", "public", environment: later)
            #expect(ended.status == 4, "\(ended.errors)")
            for days in stride(from: 60, through: 720, by: 60) {
                let more = days == 60 ? 45 : 60
                let result = try await refresh(afterDays: days, more: more)
                #expect(result.status == 0, "day \(days): \(result.errors)")
            }
            let last = try await home.run(
                "refresh", "--force", "bot", environment: Later.by(seconds: 720 * 86400))
            #expect(last.status == 0, "\(last.errors)")
            // Two years and a second.
            try await home.sandbox.advanceClock("\(Int(10.5 * 86400) + 1)s")
            let over = try await home.run(
                "refresh", "--force", "bot", environment: Later.by(seconds: Int(730.5 * 86400) + 1))
            #expect(over.status == 4, "\(over.errors)")
        }

        @Test("ends after 92 days without use", .enabled(if: Later.isPossible, "there is no faketime here"))
        func idle() async throws {
            try await logIn()
            let result = try await refresh(afterDays: 92, more: 92)
            #expect(result.status == 4, "\(result.errors)")
        }

        @Test(
            "signs assertions in the server's time with a clock that is wrong, and nothing cached",
            .enabled(if: Later.isPossible, "there is no faketime here"), arguments: [90, -90])
        func wrongClock(seconds: Int) async throws {
            try await publish()
            let wrong = Later.by(seconds: seconds)
            let login = try await home.run("login", "alice.test", "--client", "bot", environment: wrong)
            #expect(login.status == 0, "\(login.errors)")
            try FileManager.default.removeItem(at: home.directory.appending(path: "cache"))
            let refresh = try await home.run("refresh", "--force", environment: wrong)
            #expect(refresh.status == 0, "\(refresh.errors)")
            let now = Date().timeIntervalSince1970
            var sendings: [String: Int] = [:]
            for entry in try await home.sandbox.journal() {
                guard let assertion = (entry["assertion"] as? [String: Any])?["payload"] as? [String: Any]
                else { continue }
                sendings[try #require(entry["path"] as? String), default: 0] += 1
                let issued = try #require(assertion["iat"] as? Double)
                #expect((now - 50 - 10...now).contains(issued), "\(assertion)")
            }
            #expect(sendings["/oauth/par"] ?? 9 <= 3 && sendings["/oauth/token"] ?? 9 <= 6, "\(sendings)")
        }

        /// Publishes a document that has only the key of another client.
        private func publishAnotherKey() async throws {
            try await home.succeed("client", "init", "twin", "https://twin.example.com/", "--out", "twin")
            let twin = try String(
                contentsOf: home.directory.appending(path: "twin/oauth-client-metadata.json"), encoding: .utf8
            )
            _ = try await home.sandbox.post(
                "/_sandbox/clients", twin.replacing("twin.example.com", with: "bot.example.com"))
        }

        @Test("with a key that is not published, nothing is lost: the same token works once it is")
        func unpublished() async throws {
            try await logIn()
            try await publishAnotherKey()
            let refused = try await home.run("refresh", "--force")
            #expect(refused.status == 11, "\(refused.errors)")
            #expect(refused.errors.contains("bskyauth client check"))
            try await publish()
            try await home.succeed("refresh", "--force")
        }

        @Test("a logout whose client is refused keeps the account") func refusedLogout() async throws {
            try await logIn()
            try await publishAnotherKey()
            let logout = try await home.run("logout", "bot")
            #expect(logout.status == 11, "\(logout.errors)")
            #expect(logout.errors.contains("bskyauth client check"))
            #expect(try await home.accounts().count == 1)
        }

        @Test("without the key of the session, no request is made") func missingKey() async throws {
            try await logIn()
            try await home.succeed("client", "remove", "bot", "--force")
            try await home.sandbox.resetJournal()
            let refused = try await home.run("refresh", "--force")
            #expect(refused.status == 4, "\(refused.errors)")
            #expect(try await home.run("logout", "alice.test").status == 4)
            #expect(try await paths().isEmpty)
        }

        @Test("finishes a login by what the page shows, where the page can't reach this machine")
        func pasted() async throws {
            try await publish()
            let login = try await home.runAtTerminal(
                "login", "alice.test", "--client", "bot", "--no-browser",
                steps: [.pasteRedirect(at: "paste the URL")])
            #expect(login.status == 0, "\(login.screen)")
            try await home.succeed("call", "com.atproto.server.getSession")
        }
    }
}
