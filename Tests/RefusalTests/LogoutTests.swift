import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Logs out honestly where the server can't be told", .serialized, .fewAtOnce)
struct LogoutTests {
    static let failures = [
        Fault.respond(500, "{}"), Fault.page(502), #"{"drop":"before"}"#,
        Fault.respond(400, #"{"error":"use_dpop_nonce"}"#, headers: #""dpop-nonce":"again""#),
    ]

    @Test("removes the account and says that the session goes on", .covers("R77"), arguments: failures)
    func removed(action: String) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults("[\(Fault.at(Fault.revocation, action))]")
        try await sandbox.resetJournal()
        let logout = try await home.attempt(["logout", "alice.test", "--json"])
        #expect(logout.status == 0)
        let words = "its server did not confirm the logout, so the session there ends in 14 days\n"
        #expect(logout.errors.contains(words), "\(logout.errors)")
        #expect(
            logout.errors.contains("\n  logout --strict keeps an account in such a case"), "\(logout.errors)")
        let result = (logout.json?["results"] as? [[String: Any]])?.first
        #expect(result?["revoked"] as? String == "failed")
        #expect(try await home.listing().isEmpty)
        #expect(try await Journal(sandbox).requests(to: Fault.revocation).count <= 2)
    }

    @Test("says when the session of an app password is over")
    func appPassword() async throws {
        let password = "abcd-efgh-ijkl-mnop"
        let sandbox = try Sandbox(["--app-password", "alice.test:\(password)"])
        let home = try Home(sandbox)
        try await home.succeed("login", "alice.test", "--app-password", input: Data(password.utf8))
        let deletion = "/xrpc/com.atproto.server.deleteSession"
        try await sandbox.setFaults("[\(Fault.at(deletion, Fault.respond(500, "{}")))]")
        let logout = try await home.attempt(["logout", "alice.test"])
        #expect(logout.status == 0)
        let words = "its server did not confirm the logout, so the session there ends in 90 days\n"
        #expect(logout.errors.contains(words), "\(logout.errors)")
    }

    @Test("keeps the account with --strict", arguments: Reader.allCases)
    func strict(reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults("[\(Fault.at(Fault.revocation, Fault.respond(500, "{}")))]")
        let refusal =
            ServerProfile.current.revokes
            ? Refusal(11, "server_error", says: "the revocation endpoint failed")
            : Refusal(10, "unsupported", says: "has no endpoint for this: the revocation endpoint")
        try await home.expect(
            refusal, of: ["logout", "alice.test", "--strict"], for: reader, givesResults: true)
        try await sandbox.setFaults("[]")
        let call = try await home.attempt(["call", "com.atproto.server.getSession"])
        #expect(call.status == 0, "\(call.errors)")
    }
}
