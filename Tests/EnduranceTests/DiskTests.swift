import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// Disks that are full, read-only, or somebody else's: nothing is sent that could not be stored.
@Suite("Disks", .serialized, .fewAtOnce, .enabled(if: Disk.isPossible, "only root mounts"))
struct DiskTests {
    @Test("a full disk is said before the token is spent, and room makes it good") func full() async throws {
        try await Disk.run { home, disk in
            let before = try home.vaultContent()
            try disk.fill()
            let result = try await home.run("refresh", "--force", "--json")
            #expect(result.status == 1)
            #expect(
                result.json?["results"] != nil && result.errorLine?.code == "disk_full", "\(result.errors)")
            #expect(try home.vaultContent() == before)
            #expect(try await home.sandbox.requests().filter(\.isRefresh).isEmpty)
            // What needs no room goes on.
            #expect(try await home.run("call", "com.atproto.server.getSession").status == 0)
            try disk.empty()
            #expect(try await home.run("refresh", "--force").status == 0)
        }
    }

    @Test("an answer has its room, though the disk fills before it comes") func fillsMeanwhile() async throws
    {
        try await Self.answerOnFullDisk(.tmpfs)
    }

    @Test(
        "also where nothing is overwritten in place",
        .enabled(if: Disk.FileSystem.hasBtrfs, "there is no btrfs, no mkfs.btrfs, or no loop device"))
    func fillsMeanwhileOnBtrfs() async throws {
        try await Self.answerOnFullDisk(.btrfs)
    }

    private static func answerOnFullDisk(_ fileSystem: Disk.FileSystem) async throws {
        try await Disk.run(on: fileSystem) { home, disk in
            try await home.sandbox.setFaults(
                #"[{"match":{"grant":"refresh_token"},"action":{"delay":"15s","when":"after"}}]"#)
            let refresh = try home.start("refresh", "--force", "--json")
            try await home.sandbox.waitForRequest { $0.isRefresh && $0.consumed }
            try disk.fill()
            let result = try await refresh.result()
            #expect(result.status == 0, "\(result.errors)")
            try disk.empty()
            // With the token that came then: the server has ended the one before.
            try await home.sandbox.setFaults("[]")
            #expect(try await home.run("refresh", "--force").status == 0)
            #expect(!(try await home.sandbox.requests()).contains { $0.sessionEnded })
        }
    }

    @Test("a read-only disk lets a token be used, and none be spent") func readOnly() async throws {
        try await Disk.run { home, disk in
            try await disk.remount("ro")
            let before = try home.vaultContent()
            let result = try await home.run("refresh", "--force", "--json")
            #expect(result.status == 1)
            #expect(result.errorLine?.code == "disk_read_only", "\(result.errors)")
            #expect(try home.vaultContent() == before)
            #expect(try await home.sandbox.requests().filter(\.isRefresh).isEmpty)
            let call = try await home.run("call", "com.atproto.server.getSession")
            #expect(call.status == 0, "\(call.errors)")
            // A token that is about to end, too, as long as it lives.
            try await disk.remount("rw")
            try await home.sandbox.setFaults(
                #"[{"match":{"path":"/oauth/token"},"times":1,"action":{"amend":{"set":{"/expires_in":1000}}}}]"#
            )
            #expect(try await home.run("refresh", "--force").status == 0)
            try await disk.remount("ro")
            let late = try await home.run(
                "call", "com.atproto.server.getSession", environment: Later.by(seconds: 880))
            #expect(late.status == 0, "\(late.errors)")
            try await disk.remount("rw")
            #expect(try await home.run("refresh", "--force").status == 0)
        }
    }

    @Test("somebody else's vault is not opened") func otherOwner() async throws {
        try await Disk.run { home, _ in
            let before = try home.vaultContent()
            let other = try await Program.run(
                "/usr/bin/setpriv",
                [
                    "--reuid", "65534", "--regid", "65534", "--clear-groups", Paths.program, "accounts",
                    "--json",
                ],
                environment: home.environment, directory: URL(filePath: "/"))
            #expect(other.status == 7, "\(other.errors)")
            #expect(other.errorLine?.code == "vault_access")
            #expect(other.output.isEmpty)
            #expect(try home.vaultContent() == before)
        }
    }

    @Test("a clock that jumps back and forth loses nothing", .enabled(if: Later.isPossible))
    func jumpingClock() async throws {
        try await Disk.run { home, _ in
            for seconds in [-86_000, 7200, -3600, 40_000, 0] {
                for command in [["call", "com.atproto.server.getSession"], ["refresh", "--force"]] {
                    let result = try await home.run(command, environment: Later.by(seconds: seconds))
                    #expect(result.status == 0, "\(seconds): \(result.errors)")
                }
            }
            #expect(!(try await home.sandbox.requests()).contains { $0.sessionEnded })
        }
    }
}

/// A small disk that a home has for itself.
struct Disk {
    enum FileSystem: Sendable {
        /// One megabyte, in memory.
        case tmpfs
        /// What is written again takes space anew.
        case btrfs

        static let hasBtrfs: Bool = {
            let known = try? String(contentsOfFile: "/proc/filesystems", encoding: .utf8)
            return known?.contains("btrfs") == true
                && FileManager.default.isWritableFile(atPath: "/dev/loop-control")
                && FileManager.default.isExecutableFile(atPath: "/usr/sbin/mkfs.btrfs")
        }()
    }

    let mountPoint: URL

    static var isPossible: Bool { geteuid() == 0 }

    /// Runs a test with an account whose vault is on such a disk.
    static func run(on fileSystem: FileSystem = .tmpfs, _ test: (Home, Disk) async throws -> Void)
        async throws
    {
        let sandbox = try Sandbox(["--auto-approve"])
        let directory = FileManager.default.temporaryDirectory.appending(path: "bskyauth-disk-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let disk = Disk(mountPoint: directory)
        switch fileSystem {
        case .tmpfs:
            try await disk.mount(["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", directory.path])
        case .btrfs:
            let image = directory.appending(path: "image")
            try Data().write(to: image)
            try FileHandle(forWritingTo: image).truncate(atOffset: 128 << 20)
            let made = try await Program.run(
                "/usr/sbin/mkfs.btrfs", ["-q", image.path], environment: Program.inheritedEnvironment)
            try #require(made.status == 0, "\(made.errors)")
            try await disk.mount(["-o", "loop", image.path, directory.path])
        }
        let home = try Home(
            sandbox,
            [
                "BSKYAUTH_HOME": directory.appending(path: "vault").path,
                "BSKYAUTH_BROWSER": "curl -sSL -o /dev/null",
            ])
        let outcome: Result<Void, any Error>
        do {
            try await home.logIn("alice.test")
            try await sandbox.resetJournal()
            outcome = .success(try await test(home, disk))
        } catch {
            outcome = .failure(error)
        }
        let unmounted = try await Program.run(
            "/bin/umount", [directory.path], environment: Program.inheritedEnvironment)
        #expect(unmounted.status == 0, "\(unmounted.errors)")
        try FileManager.default.removeItem(at: directory)
        try outcome.get()
    }

    private func mount(_ arguments: [String]) async throws {
        let result = try await Program.run(
            "/bin/mount", arguments, environment: Program.inheritedEnvironment)
        try #require(result.status == 0, "\(result.errors)")
    }

    func remount(_ mode: String) async throws {
        try await mount(["-o", "remount,\(mode)", mountPoint.path])
    }

    private var filler: URL { mountPoint.appending(path: "filler") }

    /// Takes all the room that is left.
    func fill() throws {
        try Data().write(to: filler)
        let file = try FileHandle(forWritingTo: filler)
        defer { try? file.close() }
        var written = 1
        // Where the space is taken as it goes to the disk, some is left after each time.
        while written > 0 {
            written = 0
            for size in [65536, 4096, 1] {
                do {
                    while true {
                        try file.write(contentsOf: Data(count: size))
                        written += 1
                    }
                } catch {}
            }
            do { try file.synchronize() } catch {}
        }
    }

    func empty() throws {
        try FileManager.default.removeItem(at: filler)
    }
}
