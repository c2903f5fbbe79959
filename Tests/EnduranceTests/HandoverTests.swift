import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Hands sessions to commands that don't do as they should.
@Suite("Handing over, disturbed", .serialized, .fewAtOnce)
struct HandoverTests {
    private let sandbox: Sandbox
    private let home: Home
    private let store: String
    private let key: String
    private let alice: Account

    init() async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox)
        store = home.directory.appending(path: "store").path
        key = try home.recipientKey()
        alice = try await home.logIn("alice.test", environment: Self.browser)
    }

    private static let browser = ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"]

    /// What a refresh is told so as to hand over to a script.
    private func handingOver(to script: String) -> [String] {
        ["--after-rotation", "sh -c '\(script)'", "--recipient-key", key]
    }

    @Test(
        "a command that hangs is ended after a minute, on a kernel without pidfd_open as well",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
    func hangs() async throws {
        // Longer than the minute, and not for ever where nothing ends it.
        let result = try await SystemCalls.run(
            ["refresh", "--force"] + handingOver(to: "sleep 90"), in: home,
            injecting: "pidfd_open:error=ENOSYS")
        #expect(result.status == 1 && result.errors.contains("did not end in time"), "\(result.errors)")
        #expect(try await sandbox.requests().allSatisfy { !$0.isRefresh })
    }

    @Test(
        "killed at a system call, the next command gives the store what the vault has",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
    func killed() async throws {
        let generation = home.directory.appending(path: "generation")
        let options = handingOver(to: "cat > \(store); echo $BSKYAUTH_BUNDLE_GENERATION > \(generation.path)")
        let folder = home.vault.appending(path: "accounts/\(alice.id)")
        let counts = try await SystemCalls.counts(
            of: ["refresh", "--force"] + options, in: home,
            names: ["pwrite64", "fsync", "renameat", "unlinkat", "memfd_create"])
        var (rounds, kills) = (0, 0)
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in stride(from: 1, through: count, by: testsAll ? 1 : 2) {
                let blow = try await SystemCalls.run(
                    ["refresh", "--force"] + options, in: home,
                    injecting: "\(name):signal=KILL:when=\(number)")
                rounds += 1
                if blow.wasSignalled { kills += 1 }
                // The access token lives, so there is nothing to refresh. After a lost answer, that is said too.
                let next = try await home.run(["refresh"] + options)
                let isUnclear = next.status == 12 && next.errors.contains("so its session may have ended")
                #expect(next.status == 0 || isUnclear, "\(name) \(number): \(next.errors)")
                let stored = try String(contentsOf: generation, encoding: .utf8)
                let record = try Data(contentsOf: folder.appending(path: "session"))
                let kept = record[43..<51].reduce(0) { $0 << 8 | UInt64($1) }
                #expect(stored == "\(kept)\n", "\(name) \(number)")
                // What became of its token only another attempt would tell, in a while.
                if FileManager.default.fileExists(atPath: folder.appending(path: "intent").path) {
                    try await home.logIn("alice.test", environment: Self.browser)
                }
            }
        }
        // A run may have fewer calls than the one that was counted, but not most of them.
        #expect(kills > rounds / 2)
    }

    @Test("TERM is obeyed while nothing is spent, and the command does not outlive it")
    func interrupted() async throws {
        let started = home.directory.appending(path: "started")
        let script = "echo $$ > \(started.path).new; mv \(started.path).new \(started.path); exec sleep 600"
        let running = try Program.Running(
            Paths.program, ["refresh", "--force"] + handingOver(to: script), environment: home.environment)
        while !FileManager.default.fileExists(atPath: started.path) { await Task.yield() }
        running.signal(SIGTERM)
        let result = try await running.result()
        #expect(result.wasSignalled && result.status == SIGTERM, "\(result.errors)")
        #expect(try await sandbox.requests().allSatisfy { !$0.isRefresh })
        let text = try String(contentsOf: started, encoding: .utf8)
        let command = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(command, 0) == -1 && errno == ESRCH)
        try await home.succeed("refresh", "--force")
    }
}
