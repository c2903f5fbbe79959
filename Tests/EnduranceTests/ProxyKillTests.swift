import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// `kill -9` of what serves programs, while it refreshes for one of them.
@Suite("Killed while it serves", .serialized, .fewAtOnce, .enabled(if: Later.isPossible && testsAll))
struct ProxyKillTests {
    enum Command: CaseIterable { case exec, proxy }

    private static let method = "com.atproto.repo.describeRepo"

    /// The access token of the next call is refused, so that it is refreshed, and the new ones come late.
    private static let refresh =
        #"[{"match":{"path":"/xrpc/\#(method)"},"times":1,"action":{"respond":{"status":401,"#
        + #""headers":{"www-authenticate":"DPoP error=\"invalid_token\""},"body":{"error":"invalid_token"}}}},"#
        + #"{"match":{"grant":"refresh_token"},"action":{"delay":"50ms","when":"after"}}]"#

    private static let ask = """
        exec curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
        "$BSKYAUTH_PROXY_URL/xrpc/\(method)?repo=alice.test"
        """

    /// Serves a program that makes one request.
    ///
    /// - Parameter meanwhile: gets the process that serves, and the program; for exec they are one.
    private func serve(
        by command: Command, in home: Home,
        _ meanwhile: (_ server: any Program.Signalled, _ program: Program.Running) async throws -> Void
    ) async throws {
        switch command {
        case .exec:
            let running = try home.start("exec", "--", "sh", "-c", Self.ask)
            try await meanwhile(running, running)
        case .proxy:
            let folder = try home.folder("run")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            let socket = folder.appending(path: "s").path
            let server = try await Program.Server.start(
                Paths.program, ["proxy", "--socket", socket, "--json"], environment: home.environment)
            let program = try Program.Running(
                "/usr/bin/env",
                ["curl", "-sS", "--unix-socket", socket, "-H", "Authorization: Bearer \(try secret(server))"]
                    + ["http://localhost/xrpc/\(Self.method)?repo=alice.test"],
                environment: Program.inheritedEnvironment, directory: home.directory)
            try await meanwhile(server, program)
            await server.end(by: SIGKILL)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["s"])
        }
    }

    private func secret(_ server: Program.Server) throws -> String {
        let json = try JSONSerialization.jsonObject(with: Data(server.announcement.utf8)) as? [String: Any]
        let accounts = try #require(json?["accounts"] as? [[String: Any]], "\(server.announcement)")
        return try #require(accounts.first?["secret"] as? String)
    }

    /// How long a whole refresh takes for a program.
    private func duration(of command: Command, in home: Home, _ sandbox: Sandbox) async throws -> Duration {
        try await sandbox.setFaults(Self.refresh)
        var whole = Duration.zero
        try await serve(by: command, in: home) { _, program in
            whole = try await ContinuousClock().measure {
                let result = try await program.result()
                #expect(result.text.contains("alice.test"), "\(result.errors)")
            }
        }
        #expect(try await sandbox.requests().contains { $0.isRefresh && $0.consumed })
        return whole
    }

    /// Kills what serves at a random instant.
    ///
    /// - Returns: its keepers.
    private func killOnce(
        _ command: Command, in home: Home, _ sandbox: Sandbox, within whole: Duration
    ) async throws -> [Int32] {
        try await sandbox.setFaults(Self.refresh)
        var keepers: [Int32] = []
        try await serve(by: command, in: home) { server, program in
            try await ContinuousClock().sleep(for: whole * Double.random(in: 0...1.1))
            keepers = KeeperTests.children(of: server.processIdentifier).filter(KeeperTests.isKeeper)
            server.signal(SIGKILL)
            _ = try await program.result()
        }
        return keepers
    }

    @Test("with a keeper no session is lost, and no lock or process is left", arguments: Command.allCases)
    func keeper(_ command: Command) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        let alice = try await home.logIn("alice.test")
        let whole = try await duration(of: command, in: home, sandbox)
        var keepers: [Int32] = []
        let rounds = testRounds(60)
        for _ in 0..<rounds {
            keepers += try await killOnce(command, in: home, sandbox, within: whole)
            let next = try await home.run("refresh", "--force", "--lock-timeout", "60s")
            #expect(next.status == 0, "\(next.errors)")
        }
        #expect(try await KeeperTests.isReleased(alice, in: home))
        while keepers.contains(where: KeeperTests.isKeeper) { await Task.yield() }
        #expect(try await !sandbox.requests().contains { $0.sessionEnded })
        #expect(!keepers.isEmpty, "no kill landed in a refresh")
        // A new one takes the place of the last.
        _ = try await duration(of: command, in: home, sandbox)
        print(
            "\(command) killed at \(rounds) random instants, \(keepers.count) with a keeper: 0 sessions lost")
    }

    @Test("without a keeper, the account works or the loss is named", arguments: Command.allCases)
    func alone(_ command: Command) async throws {
        let victim = try await Victim()
        let whole = try await duration(of: command, in: victim.home, victim.sandbox)
        let rounds = testRounds(20)
        for _ in 0..<rounds {
            try await victim.suffer {
                _ = try await killOnce(command, in: victim.home, victim.sandbox, within: whole)
            }
        }
        let lost = await victim.lost
        print(
            "\(command) killed at \(rounds) random instants: \(lost) fell between the server's commit and our record"
        )
    }
}
