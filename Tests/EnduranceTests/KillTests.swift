import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// `kill -9`, in real processes: what the server has not taken is never lost, and what was is said to be.
@Suite("Killed", .serialized, .fewAtOnce, .enabled(if: Later.isPossible))
struct KillTests {
    @Test("at random instants of a refresh, the account works or the loss is named", .covers("H2"))
    func randomInstants() async throws {
        let victim = try await Victim()
        let clock = ContinuousClock()
        let whole = try await clock.measure {
            try await victim.home.succeed("refresh", "--force")
        }
        let rounds = testRounds(testsAll ? 60 : 20)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<rounds {
            let instant = whole * Double.random(in: 0...1.1, using: &random)
            try await victim.suffer {
                let running = try victim.home.start("refresh", "--force")
                try await clock.sleep(for: instant)
                running.signal(SIGKILL)
                _ = try await running.result()
            }
        }
        let lost = await victim.lost
        print("killed at \(rounds) random instants: \(lost) fell between the server's commit and our record")
    }

    @Test(
        "at a system call, the account works or the loss is named", .covers("H2"),
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"))
    func systemCalls() async throws {
        let victim = try await Victim()
        let counts = try await SystemCalls.counts(
            of: ["refresh", "--force"], in: victim.home)
        // Every file operation of a rotation is among them.
        for name in ["pwrite64", "fsync", "renameat", "unlinkat", "sendto"] {
            #expect(counts[name, default: 0] > 0, "\(name) of \(counts)")
        }
        var rounds = 0
        var kills = 0
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in stride(from: 1, through: count, by: testsAll ? 1 : 3) {
                try await victim.suffer {
                    let result = try await SystemCalls.run(
                        ["refresh", "--force"], in: victim.home,
                        injecting: "\(name):signal=KILL:when=\(number)")
                    if result.wasSignalled { kills += 1 }
                    #expect(result.wasSignalled || result.status == 0)
                }
                rounds += 1
            }
        }
        // A run may have fewer calls than the one that was counted, but not most of them.
        #expect(kills > rounds / 2)
        let lost = await victim.lost
        print("killed at \(kills) system calls: \(lost) fell between the server's commit and our record")
    }

    @Test(
        "a file operation that fails is an error, and never the end of a session by itself",
        .enabled(if: SystemCalls.isPossible, "strace is not there, or may not trace"),
        arguments: [("pwrite64", "ENOSPC"), ("fsync", "EIO"), ("renameat", "EIO"), ("unlinkat", "EIO")])
    func failures(name: String, error: String) async throws {
        let victim = try await Victim()
        let counts = try await SystemCalls.counts(
            of: ["refresh", "--force"], in: victim.home)
        let count = try #require(counts[name], "no \(name) to let fail")
        var injected = 0
        for number in stride(from: 1, through: count, by: testsAll ? 1 : 2) {
            let aftermath = try await victim.suffer {
                let (result, didFail) = try await SystemCalls.failing(
                    ["refresh", "--force"], in: victim.home,
                    injecting: "\(name):error=\(error):when=\(number)")
                injected += didFail ? 1 : 0
                #expect(!result.wasSignalled && [0, 1, 7].contains(result.status), "\(result.errors)")
                #expect(result.status == 0 || result.errors.contains("bskyauth: "), "\(result.errors)")
            }
            #expect(aftermath == .works, "\(name) \(number)")
        }
        // strace counts the calls of each thread by themselves: the last ones of a run may not be reached.
        #expect(injected > 0 && injected * 2 >= count / (testsAll ? 1 : 2), "\(injected) of \(count)")
    }
}
