import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Logins that finish while another process holds the lock of their account.
@Suite("A login that waits for its account", .serialized, .fewAtOnce)
struct KeptLoginTests {
    private let sandbox: Sandbox
    private let home: Home
    private let alice: Account

    init() async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        alice = try await home.logIn("alice.test")
    }

    /// The names of the kept logins.
    private var kept: [String] {
        let folder = home.vault.appending(path: "logins").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }
    }

    /// Starts a process that holds the lock of the account.
    private func hold() async throws -> Program.Running {
        let lock = home.vault.appending(path: "locks/\(alice.id).lock").path
        let holder = try Program.Running(
            "/usr/bin/flock", ["--no-fork", lock, "sleep", "600"], environment: home.environment,
            directory: home.directory)
        while try await Program.run("/usr/bin/flock", ["-n", lock, "true"], environment: [:]).status == 0 {
            await Task.yield()
        }
        return holder
    }

    /// Starts a login, and returns when its tokens are kept.
    private func waitingLogin() async throws -> Program.Running {
        let before = kept.count
        let login = try home.start("login", "alice.test")
        while kept.count == before { await Task.yield() }
        return login
    }

    private func release(_ holder: Program.Running) async throws {
        holder.signal(SIGKILL)
        _ = try await holder.result()
    }

    @Test("waits as long as a refresh can take, says so, and keeps nothing afterwards")
    func waits() async throws {
        let holder = try await hold()
        let login = try await waitingLogin()
        while !login.errors.contains("waiting up to") { await Task.yield() }
        try await release(holder)
        let result = try await login.result()
        #expect(result.status == 0, "\(result.errors)")
        // More than a refresh takes at most: a request, and the mirror before and after.
        #expect(
            result.errors.contains("another process uses the session of @alice.test; waiting up to 239 s"))
        #expect(kept.isEmpty)
        try await home.succeed("refresh", "--force")
        #expect(try await usesLatestLogin())
    }

    /// Whether the last refresh was one of the last login's session.
    private func usesLatestLogin() async throws -> Bool {
        let requests = try await sandbox.requests().filter { $0.path == "/oauth/token" && $0.status == 200 }
        let login = requests.last { $0.grant == "authorization_code" }
        return login?.jkt != nil && requests.last?.isRefresh == true && requests.last?.jkt == login?.jkt
    }

    @Test("that is killed is finished by vault restore, also after a rekey", arguments: [false, true])
    func killed(isRekeyed: Bool) async throws {
        let holder = try await hold()
        let login = try await waitingLogin()
        login.signal(SIGKILL)
        _ = try await login.result()
        try await release(holder)
        if isRekeyed { try await home.succeed("vault", "rekey", "--yes") }
        let check = try await home.succeed("vault", "verify", "--json")
        #expect((check.json?["kept_logins"] as? [String])?.count == 1)
        #expect(check.errors.contains("to save it: bskyauth vault restore"))
        let restored = try await home.succeed("vault", "restore", "--json")
        let results = restored.json?["results"] as? [[String: Any]]
        #expect(results?.map { $0["outcome"] as? String } == ["login_finished"])
        #expect(results?.first?["account"] as? String == alice.id)
        #expect(kept.isEmpty)
        try await home.succeed("refresh", "--force")
        #expect(try await usesLatestLogin())
        #expect(try await home.succeed("vault", "restore").errors.contains("nothing to restore"))
    }

    @Test("that is killed gives its place to the next login, which ends its session")
    func nextLogin() async throws {
        let holder = try await hold()
        let login = try await waitingLogin()
        login.signal(SIGKILL)
        _ = try await login.result()
        try await release(holder)
        try await home.succeed("login", "alice.test")
        #expect(kept.isEmpty)
        let requests = try await sandbox.requests()
        let keys = requests.filter { $0.grant == "authorization_code" && $0.status == 200 }.compactMap(\.jkt)
        let revoked = requests.filter { $0.path == "/oauth/revoke" && $0.status == 200 }.compactMap(\.jkt)
        #expect(keys.count == 3 && Set(revoked) == Set(keys.dropLast()))
        try await home.succeed("refresh", "--force")
        #expect(try await usesLatestLogin())
    }
}
