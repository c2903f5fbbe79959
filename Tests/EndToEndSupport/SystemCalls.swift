package import BskyAuthTestPrograms
internal import Foundation

/// The program under strace, which counts its system calls and lets them fail or kill it. It refreshes in its own process.
package enum SystemCalls {
    /// What touches files, and what talks to servers.
    package static let names = [
        "pwrite64", "fsync", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat",
        "mkdir",
        "sendto", "recvfrom",
    ]

    package static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")

    /// What depends on how much there is to read or write.
    package static let ofFiles = [
        "openat", "pread64", "newfstatat", "getdents64", "pwrite64", "fsync", "rename", "renameat", "unlink",
        "unlinkat", "mkdir",
    ]

    /// How often each of the calls comes in one run.
    ///
    /// - Parameter text: what a call has to name, as the path of a file, to be counted.
    package static func counts(
        of arguments: [String], by program: String = Paths.program, in home: Home, names: [String] = names,
        naming text: String = ""
    ) async throws -> [String: Int] {
        let file = home.directory.appending(path: "calls")
        let result = try await strace(
            ["-y", "-e", "trace=\(names.joined(separator: ","))", "-o", file.path], arguments, home, program)
        guard result.status == 0 else { throw CommandFailed(arguments: arguments, result: result) }
        var counts: [String: Int] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard text.isEmpty || line.contains(text) else { continue }
            guard let open = line.firstIndex(of: "("), let name = line[..<open].split(separator: " ").last
            else { continue }
            counts[String(name), default: 0] += 1
        }
        return counts
    }

    /// The number of the first call of a name, counted in its thread, that comes after another call.
    ///
    /// - Parameter text: what the line of the other call has, for example the beginning of what it sends.
    package static func number(
        of name: String, after other: String, with text: String, in arguments: [String], of home: Home
    ) async throws -> Int? {
        let file = home.directory.appending(path: "calls")
        let result = try await strace(["-e", "trace=\(name),\(other)", "-o", file.path], arguments, home)
        guard result.status == 0 else { throw CommandFailed(arguments: arguments, result: result) }
        var counts: [Substring: Int] = [:]
        var isAfter = false
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let thread = line.prefix { $0 != " " }
            if line.contains("\(other)("), line.contains(text) { isAfter = true }
            guard line.contains("\(name)(") else { continue }
            counts[thread, default: 0] += 1
            if isAfter { return counts[thread] }
        }
        return nil
    }

    /// - Parameter injection: as strace's `inject` takes it, `fsync:signal=KILL:when=3`.
    package static func run(
        _ arguments: [String], by program: String = Paths.program, in home: Home, injecting injection: String
    ) async throws -> Program.Result {
        // What is not traced is not tampered with either.
        let name = injection.prefix { $0 != ":" }
        return try await strace(
            ["-e", "trace=\(name)", "-e", "inject=\(injection)", "-o", "/dev/null"], arguments, home, program)
    }

    /// Lets a call fail.
    ///
    /// - Returns: also whether one did.
    package static func failing(
        _ arguments: [String], in home: Home, injecting injection: String
    ) async throws -> (result: Program.Result, didFail: Bool) {
        try await failing(arguments, in: home, injecting: [injection])
    }

    /// Lets calls fail.
    ///
    /// - Returns: also whether the last injection was.
    package static func failing(
        _ arguments: [String], in home: Home, injecting injections: [String]
    ) async throws -> (result: Program.Result, didFail: Bool) {
        let file = home.directory.appending(path: "injected")
        let names = injections.flatMap { $0.prefix { $0 != ":" }.split(separator: ",") }
        let result = try await strace(
            ["-e", "trace=\(names.joined(separator: ","))"] + injections.flatMap { ["-e", "inject=\($0)"] }
                + ["-o", file.path], arguments, home)
        let last = injections.last.map { $0.prefix { $0 != ":" }.split(separator: ",") } ?? []
        let didFail = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").contains { line in
            line.contains("(INJECTED)")
                && last.contains { line.contains(" \($0)(") || line.hasPrefix("\($0)(") }
        }
        return (result, didFail)
    }

    private static func strace(
        _ options: [String], _ arguments: [String], _ home: Home, _ program: String = Paths.program
    ) async throws -> Program.Result {
        // On one core, a program does the same in each run, by the same threads: strace counts for each thread.
        try await Program.run(
            "/usr/bin/taskset",
            ["-c", try firstCore(), "/usr/bin/strace", "-f", "-qq"] + options + [program] + arguments,
            environment: home.environment.merging(["BSKYAUTH_NO_KEEPER": "1"]) { $1 },
            directory: home.directory)
    }

    /// The first core that this process may use.
    private static func firstCore() throws -> String {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let list = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        return String(list?.split(separator: "\t").last?.prefix { $0.isNumber } ?? "0")
    }
}
