import ATPNetworking
import ATProtoCurl
import BskyAuthCovers
import BskyAuthTestServer
import HTTPTypes
import Testing

@Suite("CurlTransport's connections", .timeLimit(.minutes(10))) struct ConnectionTests {
    @Test("uses a connection again")
    func reuse() async throws {
        try await TestServer.run { server in
            for nth in 1...5 {
                let echo = try await server.echo(TransportRequest(method: .get, url: server.url("/echo")))
                #expect(echo.connection == 1 && echo.nth == nth)
            }
        }
    }

    @Test("opens a connection that has carried nothing when asked to")
    func fresh() async throws {
        try await TestServer.run { server in
            _ = try await server.fetch("/echo")
            for connection in 2...4 {
                let echo = try await server.echo(
                    TransportRequest(method: .post, url: server.url("/echo"), needsFreshConnection: true))
                #expect(echo.connection == connection && echo.nth == 1)
            }
        }
    }

    @Test("never sends a POST twice that asks for a fresh connection", .covers("X14", "F7"))
    func neverResent() async throws {
        try await TestServer.run { server in
            _ = try await server.fetch("/drop-reused")
            let request = TransportRequest(
                method: .post, url: server.url("/drop-reused"), body: .bytes([1]), needsFreshConnection: true)
            #expect(try await server.transport.fetch(request, limit: 100).status == 200)
            #expect(try await server.stats().served == ["1 1 GET /drop-reused", "2 1 POST /drop-reused"])

            var dropped = request
            dropped.url = server.url("/drop")
            let error = try await transportError { _ = try await server.transport.send(dropped) }
            #expect(error.code == .connectionLost && error.requestWasSent)
            #expect(try await server.stats().served.filter { $0.hasSuffix("POST /drop") }.count == 1)
        }
    }

    /// The reason for `needsFreshConnection`. If libcurl stops doing this, the option can go.
    @Test("lets libcurl resend a POST on a reused connection that dies, with its source opened again")
    func resent() async throws {
        try await TestServer.run { server in
            _ = try await server.fetch("/drop-reused")
            let source = ZeroSource(size: 300_000, announced: 300_000)
            let request = TransportRequest(
                method: .post, url: server.url("/drop-reused"), body: .stream(source))
            #expect(try await server.transport.fetch(request, limit: 100).status == 200)
            let stats = try await server.stats()
            #expect(
                stats.served == [
                    "1 1 GET /drop-reused", "1 2 POST /drop-reused", "2 1 POST /drop-reused",
                ])
            #expect(source.seen.opens == 2 && stats.received == 600_000)
        }
    }

    @Test("serves 200 requests at once")
    func concurrent() async throws {
        try await TestServer.run { server in
            let targets = (0..<200).map { "/echo?\($0)" }
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
            #expect(try await server.stats().requests == 200)
        }
    }

    @Test("ends 100 transfers that are cancelled at once and serves the others")
    func concurrentCancellation() async throws {
        try await TestServer.run { server in
            let doomed = (0..<100).map { _ in Task { try await server.fetch("/silent") } }
            _ = try await server.wait(for: "waiting", atLeast: 100)
            async let other = server.fetch("/huge/5000000", limit: 5_000_000)
            for task in doomed { task.cancel() }
            for task in doomed {
                let error = try await transportError { _ = try await task.value }
                #expect(error.code == .cancelled)
            }
            #expect(try await other.body.count == 5_000_000)
            _ = try await server.wait(for: "gone", atLeast: 100)
        }
    }
}
