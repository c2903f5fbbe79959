import ATPPlatform
import Glibc
import Testing

@Suite("Child processes", .timeLimit(.minutes(10))) struct ChildProcessTests {
    private let path = ["PATH": "/usr/bin:/bin"]

    private func text(_ command: [String], limit: Int = 4096) throws -> String? {
        try ChildProcess.output(of: command, environment: path, limit: limit)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("hands over arguments as they are, without a shell")
    func arguments() throws {
        #expect(try text(["printf", "%s|", "a b", "$HOME", "*", "'", ";"]) == "a b|$HOME|*|'|;|")
    }

    @Test("gives exactly the environment it was told")
    func environment() throws {
        #expect(try text(["env"]) == "PATH=/usr/bin:/bin\n")
    }

    @Test("gives nothing to read")
    func emptyInput() throws {
        #expect(try text(["cat"]) == "")
    }

    @Test("tells a failure from an empty answer")
    func failure() throws {
        #expect(try text(["true"]) == "")
        #expect(try text(["sh", "-c", "echo secret; exit 3"]) == nil)
        #expect(try text(["sh", "-c", "echo secret; kill -9 $$"]) == nil)
    }

    @Test("tells how a started program failed, and nothing of one that succeeds or runs on")
    func failureOfStarted() async throws {
        func failure(_ command: String, within time: Duration) async throws -> ChildProcess.Ending? {
            let child = try ChildProcess.start(["sh", "-c", command], environment: path)
            defer {
                kill(-child, SIGKILL)
                // An exit test waits for ever while an ended child of the tests was not waited for.
                waitpid(child, nil, 0)
            }
            return await ChildProcess.failure(of: child, within: time)
        }
        #expect(try await failure("exit 3", within: .seconds(600)) == .exited(3))
        #expect(try await failure("kill -9 $$", within: .seconds(600)) == .signalled(SIGKILL))
        #expect(try await failure("exit 0", within: .seconds(600)) == nil)
        #expect(try await failure("exec sleep 600", within: .milliseconds(100)) == nil)
    }

    @Test("names a program that is not there")
    func missing() {
        #expect {
            try text(["bskyauth-no-such-program"])
        } throws: { error in
            (error as? SystemError)?.isMissing == true
        }
    }

    @Test("takes an answer as long as the limit, whole")
    func limit() throws {
        #expect(try text(["printf", "0123456789"], limit: 10) == "0123456789")
    }

    @Test("gives up on an answer beyond the limit instead of cutting it or waiting for ever")
    func beyondLimit() throws {
        #expect(try text(["printf", "0123456789a"], limit: 10) == nil)
        #expect(try text(["yes"], limit: 10) == nil)
        #expect(try text(["sh", "-c", "trap '' PIPE; yes | head -c 1000000; exit 0"], limit: 10) == nil)
    }

    @Test(
        "ends a program whose time is over, even if it has started others, and shows none of its complaints")
    func timeOver() throws {
        func text(_ script: String, within time: Duration) throws -> String? {
            try ChildProcess.output(
                of: ["sh", "-c", script], environment: path, limit: 10, within: time
            ).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try text("echo no >&2; printf 0123456789", within: .seconds(600)) == "0123456789")
        #expect(try text("printf 0123456789a", within: .seconds(600)) == nil)
        #expect(try text("echo no; exit 3", within: .seconds(600)) == nil)
        #expect(try text("echo no; exec sleep 100000", within: .milliseconds(100)) == nil)
        // The other program has the output open.
        #expect(try text("sleep 20 & echo yes", within: .seconds(600)) == "yes\n")
    }

    @Test("gives children their signals back and none of our files")
    func inheritance() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            // A number so high that a child does not open it by itself.
            let leaked = fcntl(0, F_DUPFD, 700)
            try #require(leaked >= 700)
            let status = try #require(
                // Threads of the cooperative pool block signals. Children must not.
                try await Task.detached {
                    try ChildProcess.output(
                        of: ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"],
                        environment: ["PATH": "/usr/bin:/bin"], limit: 4096)
                }.value)
            let masks = String(decoding: status, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace).compactMap { UInt64($0, radix: 16) }
            try #require(masks.count == 2)
            #expect(masks[0] == 0)
            #expect(masks[1] & 1 << UInt64(SIGPIPE - 1) == 0)
            let files = try #require(
                try ChildProcess.output(
                    of: ["sh", "-c", "echo /proc/$$/fd/*"], environment: ["PATH": "/usr/bin:/bin"],
                    limit: 4096))
            let names = String(decoding: files, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            #expect(names.allSatisfy { !$0.hasSuffix("/\(leaked)") }, "\(names)")
        }
    }
}
