import Foundation
import Platform
import Testing

@Suite("Input of child processes", .timeLimit(.minutes(1))) struct ChildInputTests {
    private func run(
        _ command: [String], _ input: [UInt8] = [], timeout: Duration = .seconds(30),
        environment: [String: String] = [:], unless isUnwanted: @escaping @Sendable () -> Bool = { false }
    ) async throws -> ChildProcess.Ending {
        try await ChildProcess.run(
            command, environment: environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }, input: input,
            timeout: timeout, unless: isUnwanted)
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
            test "$(env | grep -Ev '^(_|PWD|SHLVL|OLDPWD)=' | sort | tr '\\n' ' ')" = 'A=b PATH=/usr/bin:/bin '
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

    @Test("what nobody wants any more is killed")
    func interruption() async throws {
        #expect(try await run(["sleep", "600"], unless: { true }) == .interrupted)
    }

    @Test("who does not end in time is killed, and what it has started as well")
    func timeout() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = "sleep 600 & echo $! > \(file.path); wait"
        #expect(try await run(["sh", "-c", script], timeout: .seconds(1)) == .timedOut)
        let text = try String(contentsOf: file, encoding: .utf8)
        let grandchild = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        // Gone, or a zombie that nobody has buried yet.
        let status = try? String(contentsOfFile: "/proc/\(grandchild)/stat", encoding: .utf8)
        #expect(status == nil || status?.contains(") Z ") == true || kill(grandchild, 0) != 0)
    }
}
