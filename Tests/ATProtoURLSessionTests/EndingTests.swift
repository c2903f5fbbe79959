import ATPNetworking
import ATProtoURLSession
import BskyAuthCovers
import BskyAuthTestServer
import HTTPTypes
import Testing

@Suite("URLSessionTransport's endings", .timeLimit(.minutes(10))) struct EndingTests {
    private func request(_ url: HTTPURL, _ timeouts: Timeouts) -> TransportRequest {
        TransportRequest(method: .get, url: url, timeouts: timeouts)
    }

    @Test("times out when no answer comes in the total time", .covers("R7"))
    func total() async throws {
        try await TestServer.run { server in
            let error = try await transportError {
                let timeouts = Timeouts(total: .seconds(2))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            #expect(error.code == .timedOut && error.requestWasSent)
            _ = try await server.wait(for: "gone")
        }
    }

    @Test("times out when the program's own limit for every request has passed")
    func ownLimit() async throws {
        try await TestServer.run(transport: {
            URLSessionTransport(policy: $0, userAgent: "tests/1", timeout: .seconds(2))
        }) { server in
            let error = try await transportError {
                let timeouts = Timeouts(total: .seconds(600))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            #expect(error.code == .timedOut && error.requestWasSent)
        }
    }

    @Test("times out in the middle of a body")
    func totalInBody() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                request(server.url("/slow"), Timeouts(total: .seconds(5))))
            let error = try await transportError { _ = try await response.body.collect(upTo: 100) }
            #expect(error.code == .timedOut && error.requestWasSent)
        }
    }

    @Test("times out when no byte moves in the idle time, also below a second", .covers("X14"))
    func idle() async throws {
        try await TestServer.run { server in
            let error = try await transportError {
                let timeouts = Timeouts(total: nil, idle: .milliseconds(200))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            #expect(error.code == .timedOut && error.requestWasSent)
            _ = try await server.wait(for: "waiting")
        }
    }

    @Test("ends promptly when cancelled before the head")
    func cancelInHead() async throws {
        try await TestServer.run { server in
            let task = Task { try await server.fetch("/silent") }
            _ = try await server.wait(for: "waiting")
            task.cancel()
            let error = try await transportError { _ = try await task.value }
            #expect(error.code == .cancelled && error.requestWasSent)
            _ = try await server.wait(for: "gone")
        }
    }

    @Test("ends promptly when cancelled in the body")
    func cancelInBody() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                TransportRequest(method: .get, url: server.url("/slow")))
            let task = Task { try await response.body.collect(upTo: 100) }
            _ = try await server.wait(for: "waiting")
            task.cancel()
            let error = try await transportError { _ = try await task.value }
            #expect(error.code == .cancelled && error.requestWasSent)
            _ = try await server.wait(for: "gone")
        }
    }

    @Test("sends nothing for a task that was cancelled before")
    func cancelledBefore() async throws {
        try await TestServer.run { server in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await server.fetch("/echo")
            }
            let error = try await transportError { _ = try await task.value }
            #expect(error.code == .cancelled && !error.requestWasSent)
            #expect(try await server.stats().requests == 0)
        }
    }

    @Test("gives no bytes once the body was cancelled, and ends the transfer")
    func cancelledBody() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                TransportRequest(method: .get, url: server.url("/slow")))
            _ = try await server.wait(for: "waiting")
            response.body.cancel()
            let error = try await transportError {
                var iterator = response.body.makeAsyncIterator()
                _ = try await iterator.next()
            }
            #expect(error.code == .cancelled)
            _ = try await server.wait(for: "gone")
        }
    }

    @Test("ends the transfer when the response is let go of")
    func abandoned() async throws {
        try await TestServer.run { server in
            #expect(
                try await server.transport.send(TransportRequest(method: .get, url: server.url("/slow")))
                    .status == 200)
            _ = try await server.wait(for: "gone")
        }
    }

    @Test("tells a refused connection, which it can't prove to have carried nothing")
    func refused() async throws {
        try await TestServer.run { server in
            let error = try await transportError {
                _ = try await server.transport.send(TransportRequest(method: .post, url: server.closed))
            }
            #expect(error.code == .notConnected && error.requestWasSent)
        }
    }

    @Test("knows that a name that leads nowhere carried nothing")
    func unknownName() async throws {
        let url = try HTTPURL(validating: "https://nowhere.invalid/")
        let error = try await transportError {
            _ = try await TestServer.transport(NetworkPolicy()).send(TransportRequest(method: .get, url: url))
        }
        #expect(error.code == .nameNotResolved && !error.requestWasSent)
    }
}
