import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("App passwords")
struct PasswordSessionTests {
    private static let password = Data("abcd-efgh-ijkl-mnop\n".utf8)

    private func home() throws -> Home {
        try Home(try Sandbox(accounts: ["alice.test"], ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"]))
    }

    @Test("log in, call, refresh and log out without a proof", .covers("A1", "G8"))
    func wholeSession() async throws {
        let home = try home()
        let login = try await home.run(
            "login", "alice.test", "--app-password", "--json", input: Self.password)
        #expect(login.status == 0, "\(login.errors)")
        let account = login.json?["account"] as? [String: Any]
        #expect(account?["auth"] as? String == "app-password")
        #expect(account?["jkt"] is NSNull)
        #expect(!login.errors.contains("abcd-efgh") && !login.text.contains("abcd-efgh"))

        let call = try await home.run("call", "com.atproto.server.getSession")
        #expect(call.json?["handle"] as? String == "alice.test")
        let shown = try await home.run("call", "com.atproto.server.getSession", "--dry-run")
        #expect(shown.text.contains("\nAuthorization: Bearer <redacted>\n") && !shown.text.contains("DPoP"))
        let refresh = try await home.run("refresh", "--force", "--json")
        #expect((refresh.json?["summary"] as? [String: Any])?["refreshed"] as? Int == 1)
        #expect(try await home.run("call", "com.atproto.server.getSession").status == 0)
        #expect(try await home.run("logout", "alice.test").status == 0)

        let journal = try await home.sandbox.journal()
        let paths = journal.compactMap { $0["path"] as? String }
        #expect(paths.filter { $0.hasSuffix("createSession") }.count == 1)
        #expect(paths.filter { $0.hasSuffix("refreshSession") }.count == 1)
        let deletions = paths.filter { $0.hasSuffix("deleteSession") }.count
        #expect(deletions == ServerProfile.current.passwordDeletions)
        #expect(journal.allSatisfy { $0["proof"] is NSNull })
    }

    @Test("a refresh that the service refuses is told of the session, because no password was sent")
    func refusedRefresh() async throws {
        let home = try home()
        try await home.succeed("login", "alice.test", "--app-password", input: Self.password)
        try await home.sandbox.setFaults(
            #"[{"match":{"path":"/xrpc/com.atproto.server.refreshSession"},"action":{"respond":{"status":400,"#
                + #""body":{"error":"InvalidRequest","message":"no"}}}}]"#)
        let result = try await home.run("refresh", "--force")
        #expect(result.status == 10, "\(result.errors)")
        #expect(
            result.errors.contains("the server refused the session of @alice.test: InvalidRequest: no"),
            "\(result.errors)")
        #expect(!result.errors.contains("refused the password"), "\(result.errors)")
    }

    @Test(
        "a first login without an app password makes no vault, and asks for the password before the passphrase"
    )
    func noPassword() async throws {
        let home = try Home(
            try Sandbox(accounts: ["alice.test"], ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"]),
            key: [:])
        let header = home.vault.appending(path: "vault.json").path
        let none = try await home.run(
            "login", "alice.test", "--app-password", "--json", input: Data("\n".utf8),
            environment: ["BSKYAUTH_PASSPHRASE": "old horse"])
        #expect(none.status == 64 && none.errors.contains("no app password was given"), "\(none.errors)")
        let declined = try await home.runAtTerminal(
            "login", "alice.test", "--app-password",
            steps: [.typeHidden("main password", at: "App password: "), .type("n", at: "Send it anyway?")])
        #expect(
            declined.status != 0 && !declined.screen.contains("choose a passphrase"), "\(declined.screen)")
        #expect(!FileManager.default.fileExists(atPath: header))
        let login = try await home.runAtTerminal(
            "login", "alice.test", "--app-password",
            steps: [
                .typeHidden("abcd-efgh-ijkl-mnop", at: "App password: "),
                .typeHidden("old horse", at: "New passphrase"),
                .typeHidden("old horse", at: "Repeat the passphrase: "),
            ])
        #expect(login.status == 0 && FileManager.default.fileExists(atPath: header), "\(login.screen)")
    }

    @Test("--http-timeout does not cut off a refresh, whose token is spent when its answer is not waited for")
    func slowRefresh() async throws {
        let home = try home()
        _ = try await home.run("login", "alice.test", "--app-password", input: Self.password)
        try await home.sandbox.setFaults(
            #"[{"match":{"path":"/xrpc/com.atproto.server.refreshSession"},"action":{"delay":"4s","when":"after"}}]"#
        )
        try await home.succeed("refresh", "--force", "--http-timeout", "2s")
    }

    @Test("an ended access token is renewed once")
    func expiry() async throws {
        let home = try home()
        _ = try await home.run("login", "alice.test", "--app-password", input: Self.password)
        try await home.sandbox.advanceClock("3h")
        try await home.sandbox.resetJournal()
        let call = try await home.run("call", "com.atproto.server.getSession")
        #expect(call.status == 0, "\(call.errors)")
        let paths = try await home.sandbox.journal().compactMap { $0["path"] as? String }
        #expect(paths.filter { $0.hasSuffix("refreshSession") }.count == 1)
        #expect(paths.filter { $0.hasSuffix("getSession") }.count == 2)
    }

    @Test("a wrong password saves nothing")
    func wrongPassword() async throws {
        let home = try home()
        let login = try await home.run(
            "login", "alice.test", "--app-password", "--json", input: Data("aaaa-bbbb-cccc-dddd\n".utf8))
        #expect(login.status == 10)
        #expect(try await home.run("accounts", "--json").text.contains(#""accounts":[]"#))
    }

    @Test(
        "a password does not take the place of an OAuth session, and OAuth takes the place of a password",
        .covers("B2", "G8"))
    func slots() async throws {
        let home = try home()
        _ = try await home.run("login", "alice.test", "--app-password", input: Self.password)
        let before = try await home.run("accounts", "--json").json?["active"] as? String
        let oauth = try await home.run("login", "alice.test", "--json")
        #expect(oauth.json?["replaced_session"] as? Bool == true)
        #expect((oauth.json?["account"] as? [String: Any])?["id"] as? String == before)
        let paths = try await home.sandbox.journal().compactMap { $0["path"] as? String }
        #expect(paths.last?.hasSuffix("deleteSession") == true)

        let vault = try home.vaultContent()
        let refused = try await home.run("login", "alice.test", "--app-password", input: Self.password)
        #expect(refused.status == 64)
        #expect(try home.vaultContent() == vault)
        let beside = try await home.run(
            "login", "alice.test", "--app-password", "--label", "pw", input: Self.password)
        #expect(beside.status == 0, "\(beside.errors)")
    }
}
