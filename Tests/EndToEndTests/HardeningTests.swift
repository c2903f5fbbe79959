import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// What others can get of the memory of the program while it waits for a browser, beside a process that
    /// keeps nothing back: what is absent says something about the program then, and not about the machine.
    @Suite("The memory of the program")
    struct HardeningTests {
        private static let login = [Paths.program, "login", "alice.test", "--no-browser"]
        private static let control = ["sh", "-c", "echo ready >&2; exec sleep 600"]

        /// Starts a program by way of another one and waits until it says something.
        private func start(_ wrapper: [String], _ command: [String], in home: Home) throws -> Program.Server {
            let running = try Program.Server(
                "/usr/bin/env", ["-C", home.directory.path] + wrapper + command,
                environment: home.environment, announcing: .onErrors)
            try #require(!running.announcement.isEmpty)
            return running
        }

        @Test(
            "is not left in a core by a crash, nor shown in a report of it, and the crash is the end",
            .covers("B21"))
        func core() async throws {
            let home = try Home(try Sandbox())
            let wrapper = ["prlimit", "--core=unlimited"]
            for signal in [SIGABRT, SIGSEGV] {
                let other = try await start(wrapper, Self.control, in: home).end(by: signal)
                #expect(other, "this machine leaves no cores at all")
                #expect(try await !start(wrapper, Self.login, in: home).end(by: signal), "signal \(signal)")
            }
        }

        @Test("what the parent ignores stays ignored, and only that")
        func ignoredSignals() async throws {
            let home = try Home(try Sandbox())
            for (trap, isIgnored) in [("trap '' QUIT", true), ("true", false)] {
                let running = try start(["sh", "-c", "\(trap); exec \"$@\"", "sh"], Self.login, in: home)
                let status = try String(
                    contentsOfFile: "/proc/\(running.processIdentifier)/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
                let mask = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
                #expect((mask & 1 << UInt64(SIGQUIT - 1) != 0) == isIgnored)
            }
        }

        @Test(
            "keeps the vault key out of swap, and works where that is forbidden",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")),
            arguments: [nil, "EPERM", "ENOMEM"])
        func swap(_ error: String?) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let trace = home.directory.appending(path: "trace")
            let fault = error.map { ["-e", "inject=mlock:error=\($0)"] } ?? []
            let result = try await Program.run(
                "/usr/bin/strace",
                ["-f", "-qqq", "-o", trace.path, "-e", "trace=mlock"] + fault + [Paths.program, "accounts"],
                environment: home.environment)
            #expect(result.status == 0 && result.text.contains("alice.test"), "\(result.errors)")
            #expect(try String(contentsOf: trace, encoding: .utf8).contains(", 32)"))
        }

        @Test(
            "can't be read by other processes of the same user", .covers("B21"),
            .enabled(if: geteuid() == 0, "only root may become somebody else: nothing was checked"))
        func reading() async throws {
            let nobody: uid_t = 65534
            let home = try Home(try Sandbox())
            try FileManager.default.setAttributes(
                [.ownerAccountID: nobody], ofItemAtPath: home.directory.path)
            let wrapper = ["setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"]
            // Who owns the memory may read it: the user, or for what is kept from the user the system.
            for (command, owner) in [(Self.control, nobody), (Self.login, 0)] {
                let running = try start(wrapper, command, in: home)
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: "/proc/\(running.processIdentifier)/mem")
                #expect(attributes[.ownerAccountID] as? uid_t == owner, "\(command[0])")
            }
        }
    }
}
