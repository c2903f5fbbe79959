import ATPNetworking
import ATProtoCurl
import BskyAuthCovers
import BskyAuthTestServer
import Foundation
import HTTPTypes
import Testing

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
