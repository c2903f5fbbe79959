package import BskyAuthTestPrograms
internal import Foundation
internal import Synchronization

/// A folder of a server's files, and the user who runs it: PostgreSQL and pgbouncer refuse to run as root. It is removed with
/// the last reference, or with the tests.
package final class ServerFolder: Sendable {
    private struct Started {
        var servers: [ObjectIdentifier: Program.Running] = [:]
        var folders: Set<String> = []
    }

    /// What is left when the tests end. Tests that share a server never release it.
    private static let started = Mutex(Started())
    private static let endsWithTests: Void = {
        atexit {
            let started = ServerFolder.started.withLock { $0 }
            for server in started.servers.values { ServerFolder.end(server) }
            for folder in started.folders { try? FileManager.default.removeItem(atPath: folder) }
        }
    }()

    /// Runs a program as a user without rights, if the tests run as root.
    private static let asUser =
        geteuid() == 0
        ? ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []

    package let path: String

    package init(_ name: String) throws {
        Self.endsWithTests
        path = URL.temporaryDirectory.appending(path: "\(name)-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let folder = path
        Self.started.withLock { _ = $0.folders.insert(folder) }
        try giveAway(path)
    }

    deinit {
        let folder = path
        Self.started.withLock { _ = $0.folders.remove(folder) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file that only the server's user may read.
    package func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        try giveAway(path(name))
    }

    private func giveAway(_ path: String) throws {
        guard geteuid() == 0 else { return }
        try FileManager.default.setAttributes(
            [.ownerAccountName: "nobody", .groupOwnerAccountName: "nogroup"], ofItemAtPath: path)
    }

    /// Starts a server.
    package func start(_ program: String, _ arguments: [String]) throws -> Program.Running {
        let command = Self.asUser + [program] + arguments
        let running = try Program.Running(
            command[0], Array(command.dropFirst()), environment: Self.environment,
            directory: URL(filePath: path))
        Self.started.withLock { $0.servers[ObjectIdentifier(running)] = running }
        return running
    }

    /// Ends a server at once, and waits for its end: until then it writes in its folder. PostgreSQL takes SIGQUIT for
    /// "immediate shutdown": it ends its other processes too, and removes its shared memory.
    package static func end(_ server: Program.Running) {
        started.withLock { $0.servers[ObjectIdentifier(server)] = nil }
        server.signal(SIGCONT)
        server.signal(SIGQUIT)
        server.waitForEnd()
    }

    /// Runs a program to its end.
    package func result(_ program: String, _ arguments: [String]) async throws -> Program.Result {
        let command = Self.asUser + [program] + arguments
        return try await Program.run(
            command[0], Array(command.dropFirst()), environment: Self.environment,
            directory: URL(filePath: path))
    }

    /// Runs a program that must succeed.
    @discardableResult
    package func run(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await result(program, arguments)
        guard result.status == 0 else {
            throw ServerFolder.Failed(description: "\(program): \(result.errors)")
        }
        return result.text
    }

    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    private static let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
}

/// Addresses of this machine, so that servers of different tests listen at different ones: the whole of 127/8 is this machine.
package enum LoopbackAddress {
    package static func random() -> String {
        "127.\(UInt8.random(in: 64...250)).\(UInt8.random(in: 1...250)).\(UInt8.random(in: 1...250))"
    }
}
