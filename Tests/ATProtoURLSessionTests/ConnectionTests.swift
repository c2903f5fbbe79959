import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import Foundation
import HTTPTypes
import Testing

@Suite("URLSessionTransport's connections", .timeLimit(.minutes(10))) struct ConnectionTests {
    @Test("opens a connection for every request", arguments: [false, true])
    func fresh(isAsked: Bool) async throws {
        try await TestServer.run { server in
            for connection in 1...4 {
                let echo = try await server.echo(
                    TransportRequest(
                        method: .post, url: server.url("/echo"), needsFreshConnection: isAsked))
                #expect(echo.connection == connection && echo.nth == 1)
            }
        }
    }

    @Test(
        "never sends a request twice whose connection ends without an answer",
        .covers("X14", "F7"), arguments: ["/drop", "/reset"], [false, true])
    func neverResent(target: String, isFresh: Bool) async throws {
        try await TestServer.run { server in
            _ = try await server.fetch("/echo")
            for method in [HTTPRequest.Method.post, .get, .put] {
                let request = TransportRequest(
                    method: method, url: server.url(target), body: .bytes([1]),
                    needsFreshConnection: isFresh)
                let error = try await transportError { _ = try await server.transport.send(request) }
                #expect(error.code == .connectionLost && error.requestWasSent)
            }
            let served = try await server.stats().served.filter { $0.hasSuffix(target) }
            #expect(served.map { $0.split(separator: " ")[2] } == ["POST", "GET", "PUT"])
        }
    }

    @Test("never sends a streamed body twice")
    func streamNeverResent() async throws {
        try await TestServer.run { server in
            let source = ZeroSource(size: 300_000, announced: 300_000)
            let error = try await transportError {
                let request = TransportRequest(
                    method: .post, url: server.url("/drop"), body: .stream(source))
                _ = try await server.transport.send(request)
            }
            #expect(error.code == .connectionLost && error.requestWasSent)
            #expect(source.seen.opens == 1)
            #expect(try await server.stats().served == ["1 1 POST /drop"])
        }
    }

    /// Without a connection that failed before, the error of a lost answer is another one.
    @Test("counts a request as sent that was lost after another address of the name had refused")
    func lostBehindRefusal() async throws {
        try await TestServer.run { server in
            let request = TransportRequest(method: .post, url: server.named("/drop"), body: .bytes([1]))
            let error = try await transportError { _ = try await server.transport.send(request) }
            #expect(error.requestWasSent)
            #expect(try await server.stats().served == ["1 1 POST /drop"])
        }
    }

    @Test("serves 50 requests at once and leaves no descriptor open")
    func concurrent() async {
        await #expect(processExitsWith: .success) {
            try await TestServer.run { server in
                _ = try await server.fetch("/echo")
                let before = try connections()
                let targets = (0..<50).map { "/echo?\($0)" }
                let echoed = try await withThrowingTaskGroup(of: String.self) { group in
                    for target in targets {
                        group.addTask {
                            try await server.echo(
                                TransportRequest(
                                    method: .post, url: server.url(target), body: .bytes(Array(target.utf8)))
                            ).target
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(echoed == Set(targets))
                while try connections() > before { await Task.yield() }
            }
        }
    }
}

/// How many sockets this process has.
private func connections() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
            .hasPrefix("socket:") == true
    }.count
}
