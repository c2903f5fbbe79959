import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import Foundation
import HTTPTypes
import Testing

@testable import ATProtoURLSession

@Suite("URLSessionTransport's streams", .timeLimit(.minutes(10))) struct StreamingTests {
    @Test("waits for a body that arrives in pieces", arguments: [true, false])
    func arriving(isKnown: Bool) async throws {
        try await TestServer.run { server in
            let source = TricklingSource(pieces: 40, of: 50_000, isKnown: isKnown)
            let feeding = Task { await source.feed() }
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
            await feeding.value
            #expect(echo.length == 2_000_000)
            #expect(echo.values("Content-Length") == ["2000000"])
            #expect(source.pauses > 0, "the body was there at once, so nothing was waited for")
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
            #expect(echo.values("Expect").isEmpty && echo.values("Content-Length") == ["\(size)"])
            #expect(source.seen.opens == 1 && source.seen.bytes == size)
        }
    }

    @Test("uploads an empty source", arguments: [0, nil] as [Int64?])
    func emptyUpload(announced: Int64?) async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(
                TransportRequest(
                    method: .put, url: server.url("/echo"),
                    body: .stream(ZeroSource(size: 0, announced: announced))))
            #expect(echo.length == 0)
        }
    }

    @Test("sends nothing of a source that has another length than it announced, or fails")
    func brokenSource() async throws {
        try await TestServer.run { server in
            let sources = [
                ZeroSource(size: 300, announced: 1000), ZeroSource(size: 1000, announced: 300),
                ZeroSource(size: 300, announced: 300, failure: CocoaError(.fileReadUnknown)),
                ZeroSource(size: 65 << 20, announced: nil),
            ]
            for source in sources {
                let request = TransportRequest(
                    method: .post, url: server.url("/echo"), body: .stream(source))
                let error = try await transportError { _ = try await server.transport.send(request) }
                #expect(error.code == .bodyUnreadable && !error.requestWasSent)
            }
            #expect(try await server.stats().requests == 0)
        }
    }

    @Test("hands over a response as it arrives")
    func arrivingResponse() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                TransportRequest(method: .get, url: server.url("/slow")))
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Array("abc".utf8))
            response.body.cancel()
            _ = try await server.wait(for: "gone")
        }
    }

    /// No server is asked, because one that sends without end keeps the queue of all sessions busy.
    @Test("ends a response of which too much is not read")
    func unread() async throws {
        let exchange = SessionExchange(
            TransportRequest(method: .get, url: try HTTPURL(validating: "https://example.com/")))
        _ = await exchange.head { exchange.deliverHead(status: 200, fields: [:]) }
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 1...64 { #expect(exchange.deliver(piece)) }
        #expect(!exchange.deliver([0]))
        for _ in 1...64 { #expect(try await exchange.chunk().get() == piece) }
        #expect(try await exchange.chunk().get() == [0])
        guard case .failure(let error) = await exchange.chunk() else {
            Issue.record("the response goes on")
            return
        }
        #expect(error.code == .tooLarge(limit: 64 << 20) && error.requestWasSent)
    }

    @Test("stays cancelled while the next bytes of a request have not arrived")
    func cancelledUpload() async throws {
        try await TestServer.run { server in
            let source = TricklingSource(pieces: 2, of: 1000, isKnown: false)
            let task = Task {
                try await server.echo(
                    TransportRequest(method: .post, url: server.url("/echo"), body: .stream(source)))
            }
            while source.pauses == 0 { await Task.yield() }
            task.cancel()
            let error = try await transportError { _ = try await task.value }
            #expect(error.code == .cancelled && !error.requestWasSent)
        }
    }
}
