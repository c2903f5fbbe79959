import ATPPlatform
import Foundation
import Synchronization
import Testing

@Suite("ArrivingSpool") struct ArrivingSpoolTests {
    /// Reads once; nil if nothing has arrived yet.
    private func read(
        _ spool: ArrivingSpool, at position: Int, upTo count: Int = 1 << 20,
        wake: @escaping @Sendable () -> Void = {}
    ) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0xaa, count: count)
        var span = bytes.mutableSpan
        var room = unsafe span.mutableBytes
        switch try spool.read(at: Int64(position), upTo: count, into: &room, wake: wake) {
        case .bytes(let got): return Array(bytes.prefix(got))
        case .end: return []
        case .later: return nil
        }
    }

    @Test(
        "is read while it arrives, and again from its beginning, in memory and on the disk",
        arguments: [300, 3_000_000])
    func reading(size: Int) throws {
        let spool = ArrivingSpool(in: SpoolRoom(bytes: 1 << 30))
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try read(spool, at: 0) == nil)
        for start in stride(from: 0, to: size, by: 100_000) {
            try spool.append(Array(bytes[start..<min(start + 100_000, size)]))
            #expect(
                try read(spool, at: start, upTo: 200_000) == Array(bytes[start..<min(start + 100_000, size)]))
            #expect(try read(spool, at: min(start + 100_000, size)) == nil)
        }
        spool.finish()
        #expect(spool.isComplete && spool.problem == nil)
        var again: [UInt8] = []
        while let piece = try read(spool, at: again.count, upTo: 70_000), !piece.isEmpty { again += piece }
        #expect(again == bytes)
    }

    @Test("wakes each reader that found nothing, once")
    func waking() throws {
        let spool = ArrivingSpool(in: SpoolRoom(bytes: 0))
        let woken = Mutex(0)
        let wake: @Sendable () -> Void = { woken.withLock { $0 += 1 } }
        #expect(try read(spool, at: 0, wake: wake) == nil)
        #expect(try read(spool, at: 0, wake: wake) == nil)
        try spool.append([1])
        #expect(woken.withLock { $0 } == 2)
        try spool.append([2])
        #expect(woken.withLock { $0 } == 2)
        #expect(try read(spool, at: 2, wake: wake) == nil)
        spool.finish()
        #expect(woken.withLock { $0 } == 3)
        #expect(try read(spool, at: 2) == [])
    }

    @Test("a body that breaks off fails its readers, and is never taken for a whole one")
    func brokenOff() throws {
        let spool = ArrivingSpool(in: SpoolRoom(bytes: 0))
        try spool.append([1, 2])
        spool.fail(.brokenOff)
        spool.finish()
        #expect(throws: ArrivingSpool.Problem.brokenOff) { try read(spool, at: 0) }
        #expect(spool.problem == .brokenOff)
    }

    @Test("bodies share the room for files, and give it back")
    func room() throws {
        let room = SpoolRoom(bytes: 3 << 20)
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        do {
            let first = ArrivingSpool(in: room)
            for _ in 1...3 { try first.append(megabyte) }
            let second = ArrivingSpool(in: room)
            try second.append(megabyte)
            #expect(throws: ArrivingSpool.Problem.full) { try second.append([1]) }
            #expect(try read(first, at: (3 << 20) - 1) == [1])
        }
        let third = ArrivingSpool(in: room)
        for _ in 1...3 { try third.append(megabyte) }
        #expect(throws: ArrivingSpool.Problem.full) { try third.append([1]) }
    }

    @Test("keeps nothing that can be found by a name")
    func nameless() throws {
        let spool = ArrivingSpool(in: SpoolRoom(bytes: 1 << 30))
        try spool.append([UInt8](repeating: 1, count: 2 << 20))
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        #expect(files.contains { $0.contains("/bskyauth-") && $0.hasSuffix("(deleted)") })
    }
}
