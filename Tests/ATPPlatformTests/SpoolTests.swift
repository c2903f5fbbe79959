import ATPPlatform
import Foundation
import Glibc
import Testing

@Suite("Spool") struct SpoolTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "bskyauth-spool-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Reads one piece of a spool.
    private func piece(
        _ spool: Spool, at position: Int, upTo count: Int, room size: Int? = nil
    ) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xaa, count: size ?? count)
        var span = bytes.mutableSpan
        var room = unsafe span.mutableBytes
        let got = try spool.read(at: Int64(position), upTo: count, into: &room)
        #expect(bytes[got...].allSatisfy { $0 == 0xaa }, "and nothing else is touched")
        return Array(bytes.prefix(got))
    }

    /// Reads a whole spool in pieces.
    private func whole(_ spool: Spool, pieces: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try piece(spool, at: bytes.count, upTo: pieces)
            if piece.isEmpty { return bytes }
            #expect(piece.count <= pieces)
            bytes += piece
        }
    }

    private func withDirectory(_ body: () throws -> Void) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try body()
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    @Test("a file is read in place, any number of times", arguments: [0, 1, 70_000]) func file(count: Int)
        throws
    {
        try withDirectory {
            let path = directory.appending(path: "body").path
            try Data(Self.bytes(count)).write(to: URL(filePath: path))
            let spool = try Spool(path)
            #expect(spool.length == Int64(count))
            for _ in 0..<2 { #expect(try whole(spool, pieces: 4096) == Self.bytes(count)) }
            #expect(try piece(spool, at: count + 5, upTo: 10).isEmpty)
            #expect(try piece(spool, at: 0, upTo: count, room: 100).count == min(count, 100))
            #expect(try piece(spool, at: 0, upTo: 10, room: 100).count == min(count, 10))
        }
    }

    @Test(
        "a pipe is kept, in memory or past a megabyte in a file nobody else sees",
        arguments: [0, 5, 1 << 20, 3_000_000])
    func pipe(count: Int) throws {
        try withDirectory {
            let path = directory.appending(path: "pipe").path
            try #require(unsafe mkfifo(path, 0o600) == 0)
            let bytes = Self.bytes(count)
            Thread.detachNewThread {
                do {
                    let output = try OutputFile(path)
                    try output.write(bytes)
                } catch { Issue.record(error) }
            }
            let spool = try Spool(path)
            #expect(spool.length == Int64(count))
            for _ in 0..<2 { #expect(try whole(spool, pieces: 1 << 18) == bytes) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["pipe"])
        }
    }

    @Test("a file that became shorter is an error, not a shorter body") func truncated() throws {
        try withDirectory {
            let path = directory.appending(path: "body").path
            try Data(Self.bytes(100)).write(to: URL(filePath: path))
            let spool = try Spool(path)
            try Data(Self.bytes(40)).write(to: URL(filePath: path))
            #expect(try piece(spool, at: 0, upTo: 100).count == 40)
            #expect(throws: SystemError.self) { try piece(spool, at: 40, upTo: 100) }
        }
    }

    @Test("what can't be read says which call failed") func unreadable() throws {
        try withDirectory {
            let missing = #expect(throws: SystemError.self) { try Spool(directory.path + "/none") }
            #expect(missing?.isMissing == true && missing?.operation == "open")
            let folder = #expect(throws: SystemError.self) { try Spool(directory.path) }
            #expect(folder?.errno == EISDIR)
            #expect(missing?.isOfCopy == false && folder?.isOfCopy == false)
        }
    }
}

@Suite("Files that the user names") struct UserFileTests {
    @Test("are read up to a limit, and written over") func files() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "bskyauth-file-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for text in ["first and longer", "second"] {
            let output = try OutputFile(path)
            try output.write(Array(text.utf8))
            try output.finish()
        }
        #expect(try InputFile.read(path, limit: 100) == Array("second".utf8))
        #expect(try InputFile.read(path, limit: 3) == Array("sec".utf8))
        #expect(throws: SystemError.self) { try OutputFile(path + "/under/a/file") }
        #expect(throws: SystemError.self) { try InputFile.read(path + ".none", limit: 1) }
    }

    @Test("a reader that has gone away is told from other failures") func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            ProcessHardening.apply()
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { exit(1) }
            dup2(ends[1], 1)
            close(ends[0])
            do throws(SystemError) {
                try StandardStream.output.write([1])
                exit(2)
            } catch {
                exit(error.isBrokenPipe ? 0 : 3)
            }
        }
    }

    @Test("everything is written, also where the reader is slow and nobody waits by itself") func slowReader()
        async
    {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { exit(1) }
            dup2(ends[1], 1)
            close(ends[1])
            let flags = fcntl(1, F_GETFL)
            _ = fcntl(1, F_SETFL, flags | O_NONBLOCK)
            let input = ends[0]
            let count = 1_000_000
            let seen: Int = await withTaskGroup(of: Int.self) { group in
                group.addTask {
                    await BlockingWork.run {
                        var buffer = [UInt8](repeating: 0, count: 1 << 16)
                        var total = 0
                        while total < count {
                            let got = unsafe read(input, &buffer, buffer.count)
                            if got <= 0 { return total }
                            total += got
                        }
                        return total
                    }
                }
                do {
                    try StandardStream.output.write([UInt8](repeating: 7, count: count))
                } catch { exit(2) }
                return await group.next() ?? 0
            }
            exit(seen == count ? 0 : 3)
        }
    }
}
