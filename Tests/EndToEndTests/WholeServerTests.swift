import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What the program says when the official PDS refuses an account or a method.
    @Suite(
        "What a whole PDS refuses",
        .enabled(if: ServerProfile.current == .official, "these answers are those of the official PDS"))
    struct WholeServerTests {
        private let sandbox: Sandbox
        private let home: Home

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
        }

        @Test(
            "a deactivated account is exit 10 in a call, keeps its session, and works when it is active again"
        )
        func deactivated() async throws {
            try await home.logIn("alice.test")
            try await sandbox.setActive(false, "alice.test")
            let call = try await home.run("call", "app.bsky.feed.getTimeline")
            #expect(call.status == 10 && call.output.isEmpty)
            #expect(
                call.errors.hasSuffix(
                    """
                    bskyauth: the account @alice.test is deactivated at 127.0.0.1 (HTTP 401)
                      activate the account in the app where you deactivated it, then try again

                    """), "\(call.errors)")
            let script = try await home.run("call", "app.bsky.feed.getTimeline", "--json")
            #expect(script.errorLine?.code == "account_deactivated" && script.errorLine?.retryable == false)
            try await home.succeed("refresh", "--force")
            try await sandbox.setActive(true, "alice.test")
            try await home.succeed("call", "app.bsky.feed.getTimeline")
        }

        @Test("a deactivated account can't log in: exit 2 in the server's words, and nothing is saved")
        func login() async throws {
            try await sandbox.setActive(false, "alice.test")
            let login = try await home.run("login", "alice.test", "--json")
            #expect(login.status == 2, "\(login.errors)")
            let error = try #require(login.errorLine)
            #expect(error.code == "access_denied" && !error.retryable)
            #expect(
                error.message
                    == "the login was declined: This account has been deactivated; nothing was saved")
            #expect(error.hint?.hasPrefix("activate the account") == true)
            #expect(try await home.succeed("accounts", "--get", ".accounts").text == "[]\n")
        }

        @Test("a taken-down account is told to log in again, with what the session had", .covers("R73"))
        func takedown() async throws {
            let alice = try await home.logIn("alice.test", "--scope", "atproto", "--scope", "blob:*/*")
            try await sandbox.endSessions(of: alice.did)
            let call = try await home.run("call", "com.atproto.server.getSession", "--json")
            #expect(call.status == 4, "\(call.errors)")
            #expect(call.errorLine?.code == "session_expired")
            #expect(call.errorLine?.hint == "log in again:  bskyauth login alice.test --scope 'blob:*/*'")
        }

        @Test(
            "a misspelt method is passed on and fails at the next server; the name that was meant is asked for"
        )
        func unknownMethod() async throws {
            try await home.logIn("alice.test")
            let call = try await home.run("call", "app.bsky.feed.getTimelin", "--json")
            #expect(call.status == 11 && call.errorLine?.serverError == "UpstreamFailure", "\(call.errors)")
            #expect(call.errorLine?.message.contains("did you mean app.bsky.feed.getTimeline?") == true)
        }

        @Test("a call without a session is told to use an account")
        func anonymous() async throws {
            let call = try await home.run(
                "call", "com.atproto.server.getSession", "--anonymous", "--host", sandbox.address)
            #expect(
                call.status == 10 && call.errors.contains("AuthMissing: Authentication Required (HTTP 401)"))
            #expect(call.errors.hasSuffix("\n  this method needs an account: leave out --anonymous\n"))
        }
    }
}
