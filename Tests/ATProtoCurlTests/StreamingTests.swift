import ATPNetworking
import ATProtoCurl
import BskyAuthCovers
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// A request body of zeros that counts how it is read.
final class ZeroSource: RequestBodySource {
    struct Counts {
        var opens = 0
        var bytes = 0
        var largestRead = 0
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

    let length: Int64?
    private let size: Int
    private let failure: (any Error)?
    private let counts = Mutex(Counts())

    /// - Parameter announced: the length it announces; nil for a body of unknown length.
    init(size: Int, announced: Int64?, failure: (any Error)? = nil) {
        self.size = size
        length = announced
        self.failure = failure
    }

    var seen: Counts { counts.withLock { $0 } }

    func open(wake: @escaping @Sendable () -> Void) throws -> any RequestBodyReader {
        counts.withLock { $0.opens += 1 }
        return Reader(source: self, left: size)
    }
}

/// A body whose pieces come one by one, each only when all before it were read.
final class TricklingSource: RequestBodySource {
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

    let length: Int64?
    private let pieces: Int
    private let size: Int
    private let breaksOff: Bool
    private let state = Mutex(State())

    init(pieces: Int, of size: Int, isKnown: Bool, breaksOff: Bool = false) {
        length = isKnown ? Int64(pieces * size) : nil
        (self.pieces, self.size, self.breaksOff) = (pieces, size, breaksOff)
    }

    /// How often a read found nothing.
    var pauses: Int { state.withLock { $0.pauses } }

    func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader {
        Reader(source: self, wake: wake)
    }

    func feed() async {
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

@Suite("CurlTransport's streams", .timeLimit(.minutes(10))) struct StreamingTests {
    @Test("sends a body on while it arrives, and waits for its rest", arguments: [true, false])
    func arriving(isKnown: Bool) async throws {
        try await TestServer.run { server in
            let source = TricklingSource(pieces: 40, of: 50_000, isKnown: isKnown)
            let feeding = Task { await source.feed() }
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
            await feeding.value
            #expect(echo.length == 2_000_000)
            #expect(echo.values("Content-Length") == (isKnown ? ["2000000"] : []))
            #expect(source.pauses > 0, "the body was there at once, so nothing was waited for")
        }
    }

    @Test("a body that breaks off ends the request")
    func brokenOff() async throws {
        try await TestServer.run { server in
            let source = TricklingSource(pieces: 4, of: 50_000, isKnown: true, breaksOff: true)
            let feeding = Task { await source.feed() }
            await #expect(throws: TransportError.self) {
                try await server.echo(
                    TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
            }
            await feeding.value
        }
    }

    @Test("uploads from a source of known and of unknown length", .covers("X7"), arguments: [true, false])
    func upload(isKnown: Bool) async throws {
        try await TestServer.run { server in
            let size = 3_000_000
            let source = ZeroSource(size: size, announced: isKnown ? Int64(size) : nil)
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
            #expect(echo.length == size)
            #expect(echo.values("Content-Length") == (isKnown ? ["\(size)"] : []))
            #expect(echo.values("Transfer-Encoding") == (isKnown ? [] : ["chunked"]))
            #expect(echo.values("Expect").isEmpty && echo.values("Content-Type").isEmpty)
            #expect(source.seen.opens == 1 && source.seen.bytes == size)
        }
    }

    @Test("uploads an empty source", .covers("X3"), arguments: [0, nil] as [Int64?])
    func emptyUpload(announced: Int64?) async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(
                TransportRequest(
                    method: .put, url: server.url("/echo"),
                    body: .stream(ZeroSource(size: 0, announced: announced))))
            #expect(echo.length == 0)
        }
    }

    @Test("reads no further into a source while the server takes nothing")
    func heldUpload() async throws {
        try await TestServer.run { server in
            let size = 64 << 20
            let source = ZeroSource(size: size, announced: Int64(size))
            async let echo = server.echo(
                TransportRequest(method: .post, url: server.url("/hold"), body: .stream(source)))
            _ = try await server.wait(for: "waiting")
            // After a whole exchange beside it, the curl thread has sent every byte of the upload that it could.
            _ = try await server.fetch("/huge/20000000", limit: 20_000_000)
            #expect(source.seen.bytes < 16 << 20)
            _ = try await server.control("/release")
            #expect(try await echo.length == size)
        }
    }

    @Test("opens a source again for a second request", .covers("R60"))
    func reopened() async throws {
        try await TestServer.run { server in
            let source = ZeroSource(size: 1000, announced: 1000)
            let request = TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source))
            let first = try await server.echo(request)
            let second = try await server.echo(request)
            #expect(first.sha256 == second.sha256 && second.length == 1000)
            #expect(source.seen.opens == 2)
        }
    }

    @Test("sends no byte past the length a source announced")
    func longerSource() async throws {
        try await TestServer.run { server in
            let source = ZeroSource(size: 500_000, announced: 1000)
            for nth in 1...2 {
                let echo = try await server.echo(
                    TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
                #expect(echo.length == 1000)
                #expect(echo.nth == nth)
            }
        }
    }

    @Test("ends the exchange when a source is shorter than it announced, or fails", arguments: [true, false])
    func brokenSource(fails: Bool) async throws {
        try await TestServer.run { server in
            let source = ZeroSource(
                size: 300_000, announced: 1_000_000, failure: fails ? CocoaError(.fileReadUnknown) : nil)
            let error = try await transportError {
                _ = try await server.echo(
                    TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
            }
            #expect(error.code == .bodyUnreadable && error.requestWasSent)
        }
    }

    @Test("hears an answer that comes before the upload is read")
    func earlyAnswer() async throws {
        try await TestServer.run { server in
            let size = 64 << 20
            let source = ZeroSource(size: size, announced: Int64(size))
            let response = try await server.transport.fetch(
                TransportRequest(method: .post, url: server.url("/early"), body: .stream(source)), limit: 100)
            #expect(response.status == 401 && response.body == Array("no".utf8))
            #expect(source.seen.bytes < size)
        }
    }

    @Test("holds the server back while nobody reads, and lets it go on")
    func backPressure() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                TransportRequest(method: .get, url: server.url("/endless")))
            let sent = try await server.wait(for: "stalled").sent
            #expect(sent < 16 << 20)
            var received = 0
            for try await chunk in response.body {
                #expect(!chunk.isEmpty && chunk.count < 2 << 20)
                received += chunk.count
                if received > 64 << 20 { break }
            }
            response.body.cancel()
            #expect(try await server.wait(for: "gone").sent > sent)
        }
    }
}
