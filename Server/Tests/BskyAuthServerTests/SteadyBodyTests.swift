import ATPNetworking
import Foundation
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct SteadyBodyTests {
    /// Pieces that come after some seconds each.
    private struct Pieces {
        let seconds: Int
        let bytes: Int
        var number = 1
    }

    /// A body whose pieces come after some seconds each.
    private final class SlowBody: ResponseBodySource {
        let time = Mutex(ContinuousClock.now)
        private let rest: Mutex<[Pieces]>
        private let wasCancelled = Mutex(false)
        var isCancelled: Bool { wasCancelled.withLock { $0 } }

        init(_ pieces: [Pieces]) {
            rest = Mutex(pieces.flatMap { Array(repeating: $0, count: $0.number) })
        }

        func next() async throws(TransportError) -> [UInt8]? {
            guard let piece = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
            time.withLock { $0 += .seconds(piece.seconds) }
            return [UInt8](repeating: 0, count: piece.bytes)
        }

        func cancel() { wasCancelled.withLock { $0 = true } }
    }

    /// How many bytes come before the end; nil if the body is ended for its speed.
    private func read(_ pieces: Pieces...) async throws -> Int? {
        let slow = SlowBody(pieces)
        let body = ResponseBody(SteadyBody(ResponseBody(slow)) { slow.time.withLock(\.self) })
        do {
            let count = try await body.collect(upTo: 1 << 30).count
            #expect(!slow.isCancelled)
            return count
        } catch {
            #expect(error.code == .timedOut && error.requestWasSent)
            #expect(slow.isCancelled)
            return nil
        }
    }

    @Test("an answer that drips ends, and one that was fast before, too")
    func drip() async throws {
        #expect(try await read(Pieces(seconds: 1, bytes: 1, number: 1000)) == nil)
        let fastAtFirst = Pieces(seconds: 0, bytes: 1 << 20)
        #expect(try await read(fastAtFirst, Pieces(seconds: 59, bytes: 1, number: 6)) == nil)
    }

    @Test("an answer goes on that is slow or late, but comes")
    func slow() async throws {
        #expect(try await read(Pieces(seconds: 1, bytes: 300, number: 1000)) == 300_000)
        #expect(try await read(Pieces(seconds: 100, bytes: 10)) == 10)
        #expect(try await read(Pieces(seconds: 30, bytes: 20_000, number: 10)) == 200_000)
    }

    @Test("the time in which nobody reads does not count")
    func unread() async throws {
        let slow = SlowBody([Pieces(seconds: 1, bytes: 1, number: 50)])
        let body = SteadyBody(ResponseBody(slow)) { slow.time.withLock(\.self) }
        while try await body.next() != nil { slow.time.withLock { $0 += .seconds(3600) } }
        #expect(!slow.isCancelled)
    }
}
