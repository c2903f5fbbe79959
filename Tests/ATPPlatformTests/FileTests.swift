import ATPPlatform
import BskyAuthCovers
import FoundationEssentials
import Glibc
import Testing

@Suite("Files") final class FileTests {
    private let base = "/tmp/bskyauth-files-\(UUID().uuidString)"
    private var file: String { base + "/file" }

    init() throws {
        try PrivateDirectory.create(base)
    }

    deinit {
        try? FileSystem.removeTree(base)
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        #expect(unsafe lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    private func read(limit: Int = 100) throws(FileAccessError) -> [UInt8] {
        try PrivateFile.read(file, limit: limit)
    }

    @Test func writesReplacesAndReads() throws {
        try AtomicFile.write([1, 2, 3], to: file)
        #expect(try read() == [1, 2, 3])
        #expect(Self.mode(file) == 0o600)
        try AtomicFile.write([], to: file)
        #expect(try read() == [])
        let large = [UInt8](repeating: 9, count: 300_000)
        try AtomicFile.write(large, to: file)
        #expect(try read(limit: 300_000) == large)
        #expect(throws: FileAccessError.tooLarge) { try self.read(limit: 299_999) }
        #expect(try FileSystem.names(in: base) == ["file"])
    }

    @Test func createsOnlyWhatDoesNotExist() throws {
        try AtomicFile.create([1], at: file)
        let error = #expect(throws: SystemError.self) { try AtomicFile.create([2], at: self.file) }
        #expect(error?.isExisting == true)
        #expect(try read() == [1])
        #expect(try FileSystem.names(in: base) == ["file"])
    }

    @Test(.covers("C12")) func keepsTheOldFileWhenTheNewOneFails() throws {
        try PrivateDirectory.create(file)
        try AtomicFile.write([1], to: file + "/inside")
        #expect(throws: SystemError.self) { try AtomicFile.write([2], to: self.file) }
        #expect(try FileSystem.names(in: base) == ["file"])
        let error = #expect(throws: SystemError.self) {
            try AtomicFile.write([2], to: self.base + "/missing/file")
        }
        #expect(error?.isMissing == true)
    }

    @Test func reservesSpaceForOneFile() throws {
        try AtomicFile.write([1], to: file)
        do {
            let dropped = try AtomicFile.reserve(file, size: 1000)
            #expect(try FileSystem.names(in: base).count == 2)
            _ = consume dropped
        }
        #expect(try FileSystem.names(in: base) == ["file"])
        #expect(try read() == [1])
        try AtomicFile.reserve(file, size: 1000).commit([2, 3])
        #expect(try read() == [2, 3])
        #expect(try FileSystem.names(in: base) == ["file"])
    }

    @Test func writesToTheDirectoryOfTheReservationWhereverItIsMoved() throws {
        let (before, after) = (base + "/before", base + "/after")
        try PrivateDirectory.create(before)
        try AtomicFile.write([1], to: before + "/file")
        let directory = try OpenDirectory(before)
        let reserved = try AtomicFile.reserve("file", in: directory, size: 1000)
        #expect(try directory.isAtItsPath())
        try FileSystem.rename(before, to: after)
        #expect(try !directory.isAtItsPath())
        #expect(directory.presentPath == after)
        // A copy takes the place of the directory, with all that is in it.
        try PrivateDirectory.create(before)
        for name in try FileSystem.names(in: after) {
            try AtomicFile.write(
                try PrivateFile.read(after + "/" + name, limit: 2000), to: before + "/" + name)
        }
        try reserved.commit([2, 3])
        #expect(try PrivateFile.read(after + "/file", limit: 10) == [2, 3])
        #expect(try PrivateFile.read(before + "/file", limit: 10) == [1])
        #expect(try !directory.isAtItsPath())
    }

    @Test func installsNoFileThatItDidNotWrite() throws {
        try AtomicFile.write([1], to: file)
        let reserved = try AtomicFile.reserve(file, size: 1000)
        let name = try #require(try FileSystem.names(in: base, onlyHidden: true).first)
        try FileSystem.remove(base + "/" + name)
        try AtomicFile.write([9], to: base + "/" + name)
        do {
            try reserved.commit([2, 3])
            Issue.record("installed another file")
        } catch {
            #expect(error.errno == ESTALE)
        }
        #expect(try read() == [1])
    }

    @Test func tellsApartWhyAFileIsNotRead() throws {
        #expect(throws: FileAccessError.missing) { try self.read() }
        #expect(unsafe symlink("/etc/passwd", file) == 0)
        #expect(throws: FileAccessError.symlink) { try self.read() }
        try FileSystem.remove(file)
        #expect(unsafe mkfifo(file, 0o600) == 0)
        #expect(throws: FileAccessError.notRegular) { try self.read() }
        try FileSystem.remove(file)
        try PrivateDirectory.create(file)
        #expect(throws: FileAccessError.notRegular) { try self.read() }
        try FileSystem.removeTree(file)
        try AtomicFile.write([1], to: file)
        for mode: mode_t in [0o640, 0o604, 0o644, 0o666, 0o610] {
            #expect(unsafe chmod(file, mode) == 0)
            #expect(throws: FileAccessError.unsafeMode(mode)) { try self.read() }
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func refusesAnotherUsersFiles() throws {
        try AtomicFile.write([1], to: file)
        #expect(unsafe chown(file, 1234, 1234) == 0)
        #expect(throws: FileAccessError.foreignOwner(1234)) { try self.read() }
        #expect(unsafe chown(base, 1234, 1234) == 0)
        #expect(throws: FileAccessError.foreignOwner(1234)) { try PrivateDirectory.verify(self.base) }
    }

    @Test func verifiesDirectories() throws {
        try PrivateDirectory.verify(base)
        #expect(throws: FileAccessError.missing) { try PrivateDirectory.verify(self.file) }
        #expect(unsafe symlink(base, file) == 0)
        for end in ["", "/", "//", "/.", "/./", "/.//."] {
            #expect(throws: FileAccessError.symlink) { try PrivateDirectory.create(self.file + end) }
        }
        for path in ["/", "//", "/.", "/./."] {
            #expect(FileSystem.withoutTrailingSlashes(path) == "/")
        }
        try FileSystem.remove(file)
        try AtomicFile.write([1], to: file)
        #expect(throws: FileAccessError.notDirectory) { try PrivateDirectory.create(self.file) }
        #expect(unsafe chmod(base, 0o755) == 0)
        #expect(throws: FileAccessError.unsafeMode(0o755)) { try PrivateDirectory.create(self.base) }
    }

    @Test(arguments: [0, 0o777] as [UInt32]) func ignoresTheUmask(_ mask: UInt32) async throws {
        await #expect(processExitsWith: .success) { [base = base as String, mask] in
            umask(mode_t(mask))
            try PrivateDirectory.create(base + "/a/b/c")
            try AtomicFile.write([1], to: base + "/file")
            let isLocked = try AdvisoryLock.tryAcquire(base + "/lock") != nil
            try #require(isLocked)
        }
        #expect(Self.mode(base + "/a") == 0o700)
        #expect(Self.mode(base + "/a/b/c") == 0o700)
        #expect(Self.mode(file) == 0o600)
        #expect(Self.mode(base + "/lock") == 0o600)
    }

    @Test func removesWhatKilledWritersLeft() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [base = base as String] in
            let one = try AtomicFile.reserve(base + "/one", size: 10)
            let two = try AtomicFile.reserve(base + "/two", size: 10)
            kill(getpid(), SIGKILL)
            _ = consume one
            _ = consume two
        }
        try AtomicFile.write([1], to: file)
        #expect(try FileSystem.names(in: base).count == 3)
        try AtomicFile.removeLeftovers(in: base, of: "one")
        #expect(try FileSystem.names(in: base).count == 2)
        try AtomicFile.removeLeftovers(in: base)
        #expect(try FileSystem.names(in: base) == ["file"])
    }

    @Test func letsOthersReadWhereThatIsNoHarm() throws {
        try AtomicFile.write([1], to: file)
        func read() throws(FileAccessError) -> [UInt8] {
            try PrivateFile.read(file, limit: 100, openness: .readable)
        }
        #expect(unsafe chmod(file, 0o644) == 0)
        #expect(try read() == [1])
        #expect(throws: FileAccessError.unsafeMode(0o644)) { try self.read() }
        for mode: mode_t in [0o620, 0o602] {
            #expect(unsafe chmod(file, mode) == 0)
            #expect(throws: FileAccessError.unsafeMode(UInt32(mode))) { try read() }
        }
    }

    @Test func readsWhatIsNamedUpToALimit() throws {
        let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try AtomicFile.write(bytes, to: file)
        #expect(try InputFile.read(file, limit: 50_000) == bytes)
        #expect(try InputFile.read(file, limit: 40_000) == bytes)
        #expect(try InputFile.read(file, limit: 20_000) == Array(bytes.prefix(20_000)))
        #expect(try InputFile.read(file, limit: 0) == [])
    }

    @Test("a file that others can read is told from one that only its owner or the system gives out")
    func isReadableByOthers() throws {
        try AtomicFile.write([1], to: file)
        for (mode, isOpen) in [(0o644, true), (0o640, true), (0o604, true), (0o600, false), (0o611, false)] {
            #expect(unsafe chmod(file, mode_t(mode)) == 0)
            #expect(InputFile.isReadableByOthers(file) == isOpen, "\(String(mode, radix: 8))")
        }
        #expect(unsafe mkfifo(base + "/pipe", 0o644) == 0)
        for path in ["/proc/version", base, base + "/missing", base + "/pipe"] {
            #expect(!InputFile.isReadableByOthers(path), "\(path)")
        }
    }

    /// An array that grows leaves copies of its bytes in freed memory.
    @Test func readsWhatMayBeSecretIntoOnePlace() throws {
        try AtomicFile.write([1, 2, 3], to: file)
        #expect(try InputFile.read(file, limit: 65536).capacity >= 65536)
        let output = try ChildProcess.output(
            of: ["cat", file], environment: ["PATH": "/usr/bin:/bin"], limit: 65536)
        #expect(try #require(output).capacity >= 65536)
    }

    @Test func takesPathsApart() {
        #expect(FileSystem.directory(of: "/a/b") == "/a")
        #expect(FileSystem.directory(of: "/a/b//") == "/a")
        #expect(FileSystem.directory(of: "/a") == "/")
        #expect(FileSystem.directory(of: "a") == ".")
        #expect(FileSystem.name(of: "/a/b/") == "b")
        #expect(FileSystem.name(of: "a") == "a")
    }

    @Test func tellsWhereNoFileCanBeMade() throws {
        #expect(FileSystem.obstacle(toWritingIn: base) == nil)
        #expect(FileSystem.obstacle(toWritingIn: base + "/not/there/yet") == nil)
        try AtomicFile.write([1], to: file)
        let obstacle = FileSystem.obstacle(toWritingIn: file + "/below")
        #expect(obstacle == SystemError(errno: ENOTDIR, operation: "access", path: file + "/below"))
    }

    @Test func cachesWithoutEverFailing() throws {
        let nowhere = CacheDirectory(nil)
        nowhere.write("a", [1])
        #expect(nowhere.read("a") == nil)
        let cache = CacheDirectory(base + "/cache")
        #expect(cache.read("a/b") == nil)
        cache.write("a/b", [1, 2])
        #expect(cache.read("a/b") == [1, 2])
        #expect(Self.mode(base + "/cache/a") == 0o700)
        #expect(Self.mode(base + "/cache/a/b") == 0o600)
        for name in ["../escaped", "a/../../escaped", "", "/escaped", "a/./b", "a//b", "a\0b"] {
            cache.write(name, [3])
            cache.remove(name)
            #expect(cache.read(name) == nil)
        }
        #expect(try FileSystem.names(in: base) == ["cache"])
        #expect(try FileSystem.names(in: base + "/cache") == ["a"])
        cache.write("a", [3])
        cache.write("a/b/c", [3])
        #expect(cache.read("a/b") == [1, 2])
        cache.remove("a/b")
        cache.remove("a/b")
        #expect(cache.read("a/b") == nil)
    }
}
