import ATPPlatform
import Foundation
import Testing

@Suite("Input of child processes", .timeLimit(.minutes(10))) struct ChildInputTests {
    private func run(
        _ command: [String], _ input: [UInt8] = [], timeout: Duration = .seconds(600),
        environment: [String: String] = [:], unless isUnwanted: @escaping @Sendable () -> Bool = { false }
    ) async throws -> ChildProcess.Ending {
        try await ChildProcess.run(
            command, environment: environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }, mark: "MARK",
            input: input, timeout: timeout, unless: isUnwanted)
    }

    @Test("arrives whole, from its beginning, whatever its length, and whether or not it is read")
    func input() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        for count in [0, 1, 65536, 1 << 20] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let ending = try await run(["dd", "of=\(file.path)", "status=none"], bytes)
            #expect(ending == .exited(0))
            #expect(try [UInt8](Data(contentsOf: file)) == bytes)
            #expect(try await run(["true"], bytes) == .exited(0))
        }
    }

    @Test("is in no file that has a name, and the environment is exactly what was told")
    func nameless() async throws {
        let script = """
            test "$(env | grep -Ev '^(_|PWD|SHLVL|OLDPWD|MARK)=' | sort | tr '\\n' ' ')" = 'A=b PATH=/usr/bin:/bin '
            case "$(readlink /proc/self/fd/0)" in *memfd:*) ;; *) exit 9 ;; esac
            """
        #expect(try await run(["sh", "-ec", script], [1], environment: ["A": "b"]) == .exited(0))
    }

    @Test("an exit status and a signal are told apart")
    func endings() async throws {
        #expect(try await run(["sh", "-c", "exit 3"]) == .exited(3))
        #expect(try await run(["sh", "-c", "kill -9 $$"]) == .signalled(9))
        await #expect { try await run(["bskyauth-no-such-program"]) } throws: { error in
            (error as? SystemError)?.isMissing == true
        }
    }

    @Test("a program that does not end in time is killed")
    func timeout() async throws {
        #expect(try await run(["sleep", "6000"], timeout: .milliseconds(50)) == .timedOut)
    }

    @Test("a program that is not wanted any more is killed, and what it has started as well")
    func interruption() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = "sleep 6000 & echo $! > \(file.path).new; mv \(file.path).new \(file.path); wait"
        let ending = try await run(
            ["sh", "-c", script], unless: { FileManager.default.fileExists(atPath: file.path) })
        #expect(ending == .interrupted)
        let text = try String(contentsOf: file, encoding: .utf8)
        let grandchild = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        while isRunning(grandchild) { await Task.yield() }
    }

    @Test(
        "so is a program that has left its process group, and what has a session of its own",
        arguments: [
            "os.setpgid(0, os.getpgid(os.getppid()))",
            "os.setsid() if os.fork() == 0 else os.wait()",
        ])
    func ownGroup(leaving: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = """
            import os, subprocess
            \(leaving)
            other = subprocess.Popen(["sleep", "6000"], start_new_session=True)
            open("\(file.path).new", "w").write(f"{os.getpid()} {other.pid}")
            os.rename("\(file.path).new", "\(file.path)")
            other.wait()
            """
        let ending = try await run(
            ["python3", "-c", script], unless: { FileManager.default.fileExists(atPath: file.path) })
        #expect(ending == .interrupted)
        for word in try String(contentsOf: file, encoding: .utf8).split(separator: " ") {
            let process = try #require(Int32(word))
            while isRunning(process) { await Task.yield() }
        }
    }

    /// Whether a process has not ended; a zombie has.
    private func isRunning(_ process: Int32) -> Bool {
        guard kill(process, 0) == 0,
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        else { return false }
        return !status.contains(") Z ")
    }
}
