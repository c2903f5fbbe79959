import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

/// The order of the system calls that makes files survive a power loss; a kill would not tell, since it leaves
/// the page cache alone.
@Suite(
    "Durability", .enabled(if: SystemCallTrace.isPossible, "strace can't be attached: nothing was checked"))
struct DurabilityTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
    }

    @Test("a file is synced before it takes its name, and the directory after that", .covers("C12"))
    func replacement() async {
        await #expect(processExitsWith: .success) { [base = fixture.base as String] in
            let calls = try await SystemCallTrace.calls(below: base) {
                try AtomicFile.write([1, 2, 3], to: base + "/file")
            }
            #expect(calls == ["write new file", "fsync new file", "rename new file, file", "fsync ."])
        }
    }

    @Test("a new file is synced before it takes its name, too")
    func creation() async {
        await #expect(processExitsWith: .success) { [base = fixture.base as String] in
            let calls = try await SystemCallTrace.calls(below: base) {
                try AtomicFile.create([1, 2, 3], at: base + "/file")
            }
            #expect(
                calls == [
                    "write new file", "fsync new file", "rename new file, file", "fsync .",
                ])
        }
    }

    @Test(
        "a changed header is durable before it takes effect, and the old one stays until then", .covers("C12")
    )
    func header() async throws {
        _ = try fixture.create()
        await #expect(processExitsWith: .success) {
            [home = fixture.home as String, base = fixture.base as String] in
            let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
            let key = KeySource.keyFile(path: base + "/key")
            let calls = try await SystemCallTrace.calls(below: base) {
                try await vault.addKey(key, named: nil)
            }
            #expect(
                calls.filter { !$0.contains("header.lock") } == [
                    // The key file comes first: a slot for a key file that a power loss took opens nothing.
                    "write new key", "fsync new key", "rename new key, key", "fsync .",
                    // The space for the new header is reserved before the old header loses its copy.
                    "write new vault.json", "fsync new vault.json",
                    // There is never a copy of an earlier header.
                    "unlink home/vault.json.copy", "fsync home",
                    "write new vault.json", "fsync new vault.json",
                    "rename new vault.json, home/vault.json", "fsync home",
                    "write new vault.json.copy", "fsync new vault.json.copy",
                    "rename new vault.json.copy, home/vault.json.copy", "fsync home",
                ])
        }
    }

    @Test(
        "space and intent are durable before a token is spent, and the new session before the intent goes",
        .covers("12.2", "F9", "H2", "H8", "H9"))
    func rotation() async throws {
        let (_, id) = try fixture.createWithAccount()
        await #expect(processExitsWith: .success) {
            [home = fixture.home as String, directory = fixture.directory(id) as String, id = id as UUID] in
            let calls = try await Self.callsOfRotation(of: id, home, directory) {
                try PrivateDirectory.create(directory + "/asked")
            }
            #expect(
                calls == [
                    "write new session", "fsync new session", "write new session.copy",
                    "write new intent", "fsync new intent", "rename new intent, intent", "fsync .",
                    "mkdir asked", "fsync .",
                    "write new session", "fsync new session", "rename new session, session", "fsync .",
                    "write new session.copy", "fsync new session.copy",
                    "rename new session.copy, session.copy", "unlink intent", "fsync .",
                ])
        }
    }

    @Test("a copy that alone has the new session is durable, and the intent stays")
    func recordFails() async throws {
        let (_, id) = try fixture.createWithAccount()
        await #expect(processExitsWith: .success) {
            [home = fixture.home as String, directory = fixture.directory(id) as String, id = id as UUID] in
            let calls = try await Self.callsOfRotation(of: id, home, directory) {
                // No file can replace a directory.
                try FileManager.default.removeItem(atPath: directory + "/session")
                try PrivateDirectory.create(directory + "/session")
            }
            #expect(
                calls.drop { $0 != "mkdir session" } == [
                    "mkdir session", "fsync .",
                    "write new session", "fsync new session", "unlink new session",
                    "write new session.copy", "fsync new session.copy",
                    "rename new session.copy, session.copy", "fsync .",
                ])
        }
    }

    private static func callsOfRotation(
        of id: UUID, _ home: String, _ directory: String, whileAsked: () throws -> Void
    ) async throws -> [String] {
        let vault = try CredentialVault.open(at: home, key: VaultFixture.passphrase)
        return try await SystemCallTrace.calls(below: directory) {
            let lock = try await vault.lock(id, timeout: .zero)
            let permit = try vault.beginRotation(
                of: id, under: lock, tokenFingerprint: "old", reserving: 4096, at: Date())
            try whileAsked()
            try permit.commit(secret("rotated"))
        }
    }
}

/// The system calls of this process, by strace.
private enum SystemCallTrace {
    /// Whether strace is installed and can be attached to a process that is not its child.
    static let isPossible: Bool = {
        do {
            let sleeper = try Program.Server(
                "/bin/sh", ["-c", "echo asleep; exec sleep 60"], environment: Program.inheritedEnvironment)
            let (strace, isAttached) = try attach(to: sleeper.processIdentifier, writing: "/dev/null")
            strace.signal(SIGKILL)
            return isAttached
        } catch {
            return false
        }
    }()

    /// The successful calls on files below a directory: what was done, and to what; files that do not have
    /// their name yet are new ones.
    static func calls(
        below directory: String, _ work: () async throws -> Void
    ) async throws -> [String] {
        let file = "/tmp/bskyauth-strace-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let (strace, isAttached) = try attach(to: getpid(), writing: file)
        try #require(isAttached)
        try await work()
        // strace writes each call before it returns. The process of a test may block other signals.
        await strace.end(by: SIGKILL)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return text.split(separator: "\n").compactMap { call(SystemCallLine.withWholePaths($0), directory) }
    }

    private static func attach(to process: Int32, writing file: String) throws -> (Program.Server, Bool) {
        let names = "pwrite64,fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat"
        let strace = try Program.Server(
            "/usr/bin/env", ["strace", "-f", "-y", "-e", "trace=\(names)", "-o", file, "-p", "\(process)"],
            environment: Program.inheritedEnvironment, announcing: .onErrors)
        return (strace, strace.announcement.contains("attached"))
    }

    /// `123 fsync(7</d/.bskyauth-tmp-file-1f>) = 0` as `fsync new file`.
    private static func call(_ line: String, _ directory: String) -> String? {
        guard !line.contains(" = -1 "), let open = line.firstIndex(of: "("),
            let name = line[..<open].split(separator: " ").last
        else { return nil }
        let paths = line[open...].split(whereSeparator: { "<>\"".contains($0) })
            .filter { $0 == directory || $0.hasPrefix(directory + "/") }
        guard !paths.isEmpty else { return nil }
        let verb = name == "pwrite64" ? "write" : name.prefix { $0 != "2" }.replacing("at", with: "")
        return "\(verb) " + paths.map { shown($0.dropFirst(directory.count + 1)) }.joined(separator: ", ")
    }

    private static func shown(_ name: Substring) -> String {
        let mark = ".bskyauth-tmp-"
        let last = name.split(separator: "/").last ?? ""
        guard last.hasPrefix(mark) else { return name.isEmpty ? "." : String(name) }
        return "new " + last.dropFirst(mark.count).split(separator: "-").dropLast().joined(separator: "-")
    }
}
