import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// A refresh that outlives its command, because another process, the keeper, runs it.
@Suite("The keeper", .serialized, .fewAtOnce)
struct KeeperTests {
    private let sandbox: Sandbox
    private let home: Home
    private let alice: Account

    init() async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox, ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        alice = try await home.logIn("alice.test")
        try await sandbox.resetJournal()
    }

    /// The server spends the refresh token, and answers after this time.
    private func answerLate(by time: String, times: Int? = nil) async throws {
        let times = times.map { #","times":\#($0)"# } ?? ""
        try await sandbox.setFaults(
            #"[{"match":{"grant":"refresh_token"}\#(times),"action":{"delay":"\#(time)","when":"after"}}]"#)
    }

    /// Starts a command, and returns when the server has the refresh token.
    private func sent(_ start: () throws -> Program.Running) async throws -> Program.Running {
        let running = try start()
        while try await !sandbox.requests().contains(where: { $0.isRefresh && $0.consumed }) {
            await Task.yield()
        }
        return running
    }

    private func sent(shell script: String) async throws -> Program.Running {
        try await sent {
            try Program.Running(
                "/bin/bash", ["-c", script, Paths.program], environment: home.environment,
                directory: home.directory)
        }
    }

    /// Whether a process holds the account's lock.
    private func isLocked(_ account: Account? = nil) async throws -> Bool {
        try await !Self.getsLock(["-n"], of: account ?? alice, in: home)
    }

    /// Whether the lock of an account is free, or becomes free within a minute. The keeper of a command that was killed early may
    /// take it once more for a moment.
    static func isReleased(_ account: Account, in home: Home) async throws -> Bool {
        try await getsLock(["-w", "60"], of: account, in: home)
    }

    private static func getsLock(
        _ options: [String], of account: Account, in home: Home
    ) async throws -> Bool {
        let lock = home.vault.appending(path: "locks/\(account.id).lock").path
        return try await Program.run("/usr/bin/flock", options + [lock, "true"], environment: [:]).status == 0
    }

    /// The refresh was finished: the session works, and no later refresh has to wait.
    private func expectKept() async throws {
        while try await isLocked() { await Task.yield() }
        let intent = home.vault.appending(path: "accounts/\(alice.id)/intent").path
        #expect(!FileManager.default.fileExists(atPath: intent))
        try await home.succeed("call", "com.atproto.server.getSession")
        try await home.succeed("refresh", "--force")
    }

    /// The processes that a process has started, from any of its threads.
    static func children(of process: Int32) -> [Int32] {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.flatMap { thread in
            let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? ""
            return text.split(separator: " ").compactMap { Int32($0) }
        }
    }

    static func isKeeper(_ process: Int32) -> Bool {
        let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
        return line.contains("---keeper")
    }

    @Test("loses no session to kills at random instants, and leaves no lock and no process", .covers("H2"))
    func randomInstants() async throws {
        try await answerLate(by: "50ms")
        let clock = ContinuousClock()
        let whole = try await clock.measure { try await home.succeed("refresh", "--force") }
        var random = SystemRandomNumberGenerator()
        var keepers: Set<Int32> = []
        let rounds = testRounds(testsAll ? 100 : 30)
        for _ in 0..<rounds {
            let running = try home.start("refresh", "--force")
            try await clock.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            keepers.formUnion(Self.children(of: running.processIdentifier))
            running.signal(SIGKILL)
            _ = try await running.result()
            let next = try await home.run("refresh", "--force", "--lock-timeout", "60s")
            #expect(next.status == 0, "\(next.errors)")
        }
        #expect(try await Self.isReleased(alice, in: home))
        while keepers.contains(where: Self.isKeeper) { await Task.yield() }
        #expect(try await !sandbox.requests().contains { $0.sessionEnded })
        #expect(!keepers.isEmpty, "no kill landed in a refresh")
        print("killed at \(rounds) random instants, \(keepers.count) of them with a keeper: 0 sessions lost")
    }

    @Test("goes on when the command is killed in a shell's substitution or pipe, which end at once")
    func pipes() async throws {
        let scripts = [
            #"out=$("$0" refresh --force -v & echo $! >pid; wait $!); echo "ended $out""#,
            #"{ "$0" refresh --force -v & echo $! >pid; wait $!; } | cat; echo ended"#,
            #"exec 9>file; flock 9; "$0" refresh --force -v & echo $! >pid; wait $!; exec 9>&-; flock -n file echo ended"#,
        ]
        for script in scripts {
            try await sandbox.resetJournal()
            try await answerLate(by: "3s", times: 1)
            let shell = try await sent(shell: script)
            let pid = try String(contentsOf: home.directory.appending(path: "pid"), encoding: .utf8)
            kill(try #require(Int32(pid.filter(\.isNumber))), SIGKILL)
            let result = try await shell.result()
            #expect(result.text.contains("ended"), "\(script): \(result.errors)")
            // The keeper is still at work.
            #expect(try await isLocked(), "\(script): \(result.errors)")
            try await expectKept()
        }
    }

    @Test("goes on after a signal, and the command ends at once and says so", arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) async throws {
        try await answerLate(by: "3s", times: 1)
        let running = try await sent { try home.start("refresh", "--force") }
        running.signal(signal)
        let result = try await running.result()
        #expect(result.wasSignalled && result.status == signal)
        #expect(
            result.errors.contains(
                "interrupted; if a refresh was sent already, it is finished in the background"))
        #expect(try await isLocked())
        try await expectKept()
    }

    @Test("finishes what was sent although its command has not read every message")
    func unread() async throws {
        let bob = try await home.logIn("bob.test")
        let match = #""match":{"grant":"refresh_token"}"#
        try await sandbox.setFaults(
            #"[{\#(match),"times":1,"action":{"delay":"1s","when":"after"}},"#
                + #"{\#(match),"skip":1,"times":1,"action":{"delay":"4s","when":"after"}}]"#)
        try await sandbox.resetJournal()
        let running = try home.start("refresh", "--all", "--force", "--jobs", "2")
        while try await sandbox.requests().filter({ $0.isRefresh && $0.consumed }).count < 2 {
            await Task.yield()
        }
        running.signal(SIGSTOP)
        // The first answer is in the socket now.
        while try await isLocked(alice) == isLocked(bob) { await Task.yield() }
        running.signal(SIGKILL)
        _ = try await running.result()
        try await expectKept()
        while try await isLocked(bob) { await Task.yield() }
        try await home.succeed("refresh", "--force", "bob.test")
        #expect(try await !sandbox.requests().contains { $0.sessionEnded })
    }

    @Test("that only waits ends with its command")
    func waiting() async throws {
        try await answerLate(by: "3s", times: 1)
        let first = try await sent { try home.start("refresh", "--force") }
        let second = try home.start("refresh", "--force", "--lock-timeout", "60s")
        while !second.errors.contains("waiting up to") { await Task.yield() }
        let keepers = Self.children(of: second.processIdentifier).filter(Self.isKeeper)
        #expect(keepers.count == 1)
        second.signal(SIGKILL)
        _ = try await second.result()
        while keepers.contains(where: Self.isKeeper) { await Task.yield() }
        // The first refresh is not finished yet, so the keeper did not wait for it.
        #expect(try await isLocked())
        #expect(try await first.result().status == 0)
        #expect(try await sandbox.requests().filter(\.isRefresh).count == 1)
    }

    @Test("may die, and the command finds out what became of the refresh") func killed() async throws {
        try await answerLate(by: "2s", times: 1)
        let running = try await sent { try home.start("refresh", "--force", "-v") }
        let keeper = try #require(Self.children(of: running.processIdentifier).first(where: Self.isKeeper))
        kill(keeper, SIGKILL)
        while !running.errors.contains("an earlier refresh of @alice.test got no answer yet") {
            await Task.yield()
        }
        running.signal(SIGKILL)
        _ = try await running.result()
    }

    @Test(
        "is done without where it can't be started, and the session is refreshed all the same",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
    func none() async throws {
        // The path by which the command starts the keeper, and no other program.
        let refusing = [
            "-f", "-qq", "-o", "/dev/null", "-P", "/proc/self/exe", "-e", "inject=execve:error=EAGAIN",
        ]
        let alone = try await Program.run(
            "/usr/bin/strace", refusing + [Paths.program, "refresh", "--force", "-v"],
            environment: home.environment, directory: home.directory)
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(alone.errors.contains("the refresh runs in this process"), "\(alone.errors)")
    }

    @Test("is not started where this program was started by another, as by the loader")
    func loader() async throws {
        let loader = try #require(
            ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
                .first { FileManager.default.isExecutableFile(atPath: $0) })
        let result = try await Program.run(
            loader, [Paths.program, "refresh", "--force", "-v"], environment: home.environment,
            directory: home.directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("because no keeper answered"), "\(result.errors)")
    }
}
