import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What the program does to files and to the network once a refresh token is sent, system call by system call.
    @Suite("The order of a rotation")
    struct RotationOrderTests {
        /// Only root sees which files the program has open.
        private static let isPossible =
            geteuid() == 0
            && (ProcessInfo.processInfo.environment["CI"] != nil
                || FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"))

        /// The answer to a refresh token has something for the cache, whatever is known there.
        private static let anotherNonce =
            #"[{"match":{"grant":"refresh_token"},"action":{"amend":{"headers":{"dpop-nonce":"another"}}}}]"#

        @Test(
            "the new tokens are durable before anything else is written, said or sent",
            .enabled(if: isPossible, "it takes root and strace"),
            arguments: [
                (["refresh", "--force"], ["write cache", "write errors"]),
                (["call", "com.atproto.server.getSession"], ["write cache", "send", "write output"]),
            ])
        func order(command: [String], end: [String]) async throws {
            let home = try Home(try Sandbox())
            try await home.sandbox.setFaults(Faults.tokenEndsAtOnce)
            let alice = try await home.logIn("alice.test")
            try await home.sandbox.setFaults(Self.anotherNonce)
            let trace = try await RotationTrace(of: command, in: home, alice)

            let question = try #require(trace.lines.lastIndex { $0.contains("\"POST /oauth/token ") })
            let answer = try #require(trace.lines[question...].firstIndex { $0.contains("\"HTTP/1.1 200 ") })
            #expect(Set(trace.steps(question..<answer)) == ["send"])
            let steps = trace.steps(answer..<trace.lines.endIndex)
            #expect(
                steps.prefix(4) == [
                    "write new session", "fsync new session", "rename new session, session", "fsync .",
                ], "\(steps)")
            // What has to come after that is seen, so it would be seen before it.
            for step in end { #expect(steps.dropFirst(4).contains(step), "\(step) in \(steps)") }
        }
    }
}

/// What strace saw of a command.
private struct RotationTrace {
    let lines: [Substring]
    /// The account's directory in the vault.
    private let folder: String
    private let cache: String
    /// The sockets that lead to a server, as strace writes them; there are others within the process.
    private let connections: Set<Substring>

    private static let names = [
        "connect", "sendto", "sendmsg", "recvfrom", "read", "write", "writev", "pwrite64", "openat", "fsync",
        "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat",
    ]

    init(of command: [String], in home: Home, _ account: Account) async throws {
        let file = home.directory.appending(path: "trace")
        let names = Self.names.joined(separator: ",")
        let result = try await Program.run(
            "/usr/bin/strace",
            ["-f", "-qq", "-y", "-o", file.path, "-e", "trace=\(names)", Paths.program] + command,
            environment: home.environment, directory: home.directory)
        guard result.status == 0 else { throw CommandFailed(arguments: command, result: result) }
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { SystemCallLine.withWholePaths($0)[...] }
        folder = home.vault.appending(path: "accounts/\(account.id)").path
        cache = home.directory.appending(path: "cache").path
        connections = Set(
            lines.filter { $0.contains(" connect(") && $0.contains("sa_family=AF_INET") }
                .compactMap { Self.call($0).map { Self.descriptor($0.arguments) } })
    }

    /// What was sent, changed or made durable in some of the lines.
    func steps(_ range: Range<Int>) -> [String] { lines[range].compactMap(step) }

    /// `123 fsync(7</d/.bskyauth-tmp-session-1f>) = 0` as `fsync new session`; nil for what changes nothing.
    private func step(_ line: Substring) -> String? {
        guard let (name, arguments) = Self.call(line) else { return nil }
        let descriptor = Self.descriptor(arguments)
        switch name {
        case "connect", "sendto", "sendmsg": return connections.contains(descriptor) ? "send" : nil
        case "write", "writev", "pwrite64", "fsync":
            let parts = descriptor.split(separator: "<", maxSplits: 1)
            // Neither a pipe nor a socket.
            guard parts.count == 2, parts[1].hasPrefix("/") else { return nil }
            let streams: [Substring: String] = ["1": "output", "2": "errors"]
            return (name == "fsync" ? "fsync " : "write ") + (streams[parts[0]] ?? shown(parts[1]))
        case "read", "recvfrom": return nil
        default:
            if line.contains(" = -1 ") || (name == "openat" && !arguments.contains("O_CREAT")) { return nil }
            let verb = name == "openat" ? "create" : name.prefix { $0 != "2" }.replacing("at", with: "")
            let paths = arguments.split(separator: "\"").filter { $0.hasPrefix("/") }
            return "\(verb) " + paths.map(shown).joined(separator: ", ")
        }
    }

    /// The name of the call that begins in a line, and what follows it; nil where one only ends there.
    private static func call(_ line: Substring) -> (name: Substring, arguments: Substring)? {
        guard !line.contains(" resumed>"), let open = line.firstIndex(of: "("),
            let name = line[..<open].split(separator: " ").last
        else { return nil }
        return (name, line[line.index(after: open)...])
    }

    /// `7</d/file` or `7<socket:[123]`, where that is what the arguments begin with.
    private static func descriptor(_ arguments: Substring) -> Substring {
        arguments.prefix { $0 != ">" }
    }

    /// A path as it is in the account's directory; a file that does not have its name yet is a new one.
    private func shown(_ path: Substring) -> String {
        if path == folder { return "." }
        if path.hasPrefix(cache + "/") { return "cache" }
        guard path.hasPrefix(folder + "/") else { return String(path) }
        let name = path.dropFirst(folder.count + 1)
        let mark = ".bskyauth-tmp-"
        guard name.hasPrefix(mark) else { return String(name) }
        return "new " + name.dropFirst(mark.count).split(separator: "-").dropLast().joined(separator: "-")
    }
}
