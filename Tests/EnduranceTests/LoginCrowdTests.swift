import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Many processes that log in to one account at once, half of them with the library.
@Suite("A crowd of logins", .serialized, .fewAtOnce)
struct LoginCrowdTests {
    private static let count = testsAll ? 50 : 8

    @Test(
        "leaves one account with one live session, and ends each of the others once", .covers("K1", "G3"))
    func oneLogin() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let key = try #require(home.environment["BSKYAUTH_KEY_FILE"])
        try await home.logIn("bob.test")
        let ids = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<Self.count {
                group.addTask {
                    guard number.isMultiple(of: 2) else {
                        let login = try await home.run("login", "alice.test", "--json")
                        #expect(login.status == 0, "\(login.errors)")
                        return (login.json?["account"] as? [String: Any])?["id"] as? String
                    }
                    let login = try await Program.run(
                        Paths.library, [sandbox.address, home.vault.path, key, "login", "alice.test"],
                        environment: home.environment)
                    #expect(login.status == 0, "\(login.errors)")
                    return String(decoding: login.output, as: UTF8.self)
                        .trimmingCharacters(in: .whitespacesAndNewlines)
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        let listing = try await home.succeed("accounts", "--json")
        let accounts = listing.json?["accounts"] as? [[String: Any]]
        #expect(accounts?.count == 2)
        #expect(accounts?.contains { $0["id"] as? String == ids.first } == true)
        let did = try #require(
            accounts?.first { $0["id"] as? String == ids.first }?["did"] as? String)
        let sessions = try JSONSerialization.jsonObject(with: try await sandbox.get("/_sandbox/sessions"))
        let live = ((sessions as? [String: Any])?["sessions"] as? [[String: Any]])?
            .filter { $0["did"] as? String == did }
        #expect(live?.count == 1)
        // Each of the others was ended once, with one request.
        let requests = try await sandbox.requests()
        let keys = requests.filter { $0.grant == "authorization_code" && $0.consumed }.compactMap(\.jkt)
        let revoked = requests.filter { $0.path == "/oauth/revoke" && $0.status == 200 }.compactMap(\.jkt)
        #expect(Set(keys).count == Self.count + 1 && Set(revoked).count == Self.count - 1)
        #expect(revoked.count == Set(revoked).count)
        print("\(Self.count) logins: \(revoked.count) revocations of \(Set(revoked).count) sessions")
        try await home.succeed("call", "-a", "alice.test", "com.atproto.server.getSession")
        try await home.succeed("vault", "verify")
    }
}
