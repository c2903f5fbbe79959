package import ATPNetworking
import Foundation
import Synchronization

/// A request body of zeros that counts how it is read.
package final class ZeroSource: RequestBodySource {
    package struct Counts {
        package var opens = 0
        package var bytes = 0
        package var largestRead = 0
    }

    private struct Reader: RequestBodyReader {
        let source: ZeroSource
        var left: Int

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            let size = min(left, count)
            left -= size
            source.counts.withLock { counts in
                counts.bytes += size
                counts.largestRead = max(counts.largestRead, count)
            }
            if left == 0, let failure = source.failure { throw failure }
            unsafe room.withUnsafeMutableBytes { room in
                if let start = room.baseAddress { unsafe memset(start, 0, size) }
            }
            return size
        }
    }

    package let length: Int64?
    private let size: Int
    private let failure: (any Error)?
    private let counts = Mutex(Counts())

    /// - Parameter announced: the length it announces; nil for a body of unknown length.
    package init(size: Int, announced: Int64?, failure: (any Error)? = nil) {
        self.size = size
        length = announced
        self.failure = failure
    }

    package var seen: Counts { counts.withLock { $0 } }

    package func open(wake: @escaping @Sendable () -> Void) throws -> any RequestBodyReader {
        counts.withLock { $0.opens += 1 }
        return Reader(source: self, left: size)
    }
}

/// A body whose pieces come one by one, each only when all before it were read.
package final class TricklingSource: RequestBodySource {
    private struct State {
        var arrived = 0
        var pauses = 0
        var isBroken = false
        var wake: (@Sendable () -> Void)?
        var whenRead: CheckedContinuation<Void, Never>?
    }

    private struct Reader: RequestBodyReader {
        let source: TricklingSource
        let wake: @Sendable () -> Void
        var position = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            guard let size = try source.take(at: position, upTo: count, wake) else { return nil }
            position += size
            unsafe room.withUnsafeMutableBytes { room in
                if let start = room.baseAddress { unsafe memset(start, 0, size) }
            }
            return size
        }
    }

    package let length: Int64?
    private let pieces: Int
    private let size: Int
    private let breaksOff: Bool
    private let state = Mutex(State())

    package init(pieces: Int, of size: Int, isKnown: Bool, breaksOff: Bool = false) {
        length = isKnown ? Int64(pieces * size) : nil
        (self.pieces, self.size, self.breaksOff) = (pieces, size, breaksOff)
    }

    /// How often a read found nothing.
    package var pauses: Int { state.withLock { $0.pauses } }

    package func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader {
        Reader(source: self, wake: wake)
    }

    package func feed() async {
        for piece in 1...pieces {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if state.wake == nil { state.whenRead = continuation }
                    return state.wake != nil
                }
                if isWaiting { continuation.resume() }
            }
            let wake = state.withLock { state in
                defer { state.wake = nil }
                if breaksOff, piece == pieces { state.isBroken = true } else { state.arrived += size }
                return state.wake
            }
            wake?()
        }
    }

    private func take(at position: Int, upTo count: Int, _ wake: @escaping @Sendable () -> Void) throws
        -> Int?
    {
        typealias Finding = (count: Int?, isBroken: Bool, waiter: CheckedContinuation<Void, Never>?)
        let (found, isBroken, waiter): Finding = state.withLock { state in
            let there = min(count, state.arrived - position)
            if there > 0 || position == pieces * size { return (there, false, nil) }
            if state.isBroken { return (nil, true, nil) }
            state.pauses += 1
            state.wake = wake
            defer { state.whenRead = nil }
            return (nil, false, state.whenRead)
        }
        waiter?.resume()
        if isBroken { throw CancellationError() }
        return found
    }
}
