import ATPNetworking
import ATProtoCurl
import BskyAuthCovers
import BskyAuthTestServer
import HTTPTypes
import Testing

@Suite("CurlTransport's endings", .timeLimit(.minutes(10))) struct EndingTests {
    private func request(_ url: HTTPURL, _ timeouts: Timeouts) -> TransportRequest {
        TransportRequest(method: .get, url: url, timeouts: timeouts)
    }

    @Test("times out when the connection does not stand, with nothing sent")
    func connect() async throws {
        try await TestServer.run { server in
            let error = try await transportError {
                let timeouts = Timeouts(connect: .milliseconds(200), total: nil)
                _ = try await server.transport.send(request(server.deaf(.https), timeouts))
            }
            #expect(error.code == .timedOut && !error.requestWasSent)
        }
    }

    @Test("sends nothing on a connection that stands too late")
    func tooLate() async throws {
        try await TestServer.run { server in
            // The connection stands at once, and its TLS handshake goes on after the moment.
            var late = request(server.url("/echo"), Timeouts(connect: .seconds(60), total: nil))
            late.sentBy = .now
            let error = try await transportError { [late] in _ = try await server.transport.send(late) }
            #expect(error.code == .timedOut && !error.requestWasSent)
            var inTime = late
            inTime.sentBy = .now + .seconds(600)
            #expect(try await server.transport.send(inTime).status == 200)
        }
    }

    @Test("times out when no answer comes in the total time", .covers("R7"))
    func total() async throws {
        try await TestServer.run { server in
            try await server.openConnection()
            let error = try await transportError {
                let timeouts = Timeouts(total: .seconds(2))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            #expect(error.code == .timedOut && error.requestWasSent)
        }
    }

    @Test("times out when the program's own limit for every request has passed")
    func ownLimit() async throws {
        try await TestServer.run(transport: {
            CurlTransport(policy: $0, userAgent: "tests/1", timeout: .seconds(2))
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
            try await server.openConnection()
            let response = try await server.transport.send(
                request(server.url("/slow"), Timeouts(total: .seconds(5))))
            let error = try await transportError { _ = try await response.body.collect(upTo: 100) }
            #expect(error.code == .timedOut && error.requestWasSent)
        }
    }

    @Test("times out when no byte moves in the idle time", .covers("X14"))
    func idle() async throws {
        try await TestServer.run { server in
            try await server.openConnection()
            let error = try await transportError {
                let timeouts = Timeouts(total: nil, idle: .seconds(1))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            #expect(error.code == .timedOut && error.requestWasSent)
        }
    }

    @Test("does not call a transfer idle while its body is not read")
    func idleWhileHeldBack() async throws {
        try await TestServer.run { server in
            try await server.openConnection()
            let held = try await server.transport.send(
                request(server.url("/endless"), Timeouts(total: nil, idle: .seconds(3))))
            _ = try await server.wait(for: "stalled")
            // Another transfer that starts now takes longer than the first one may be idle.
            _ = try await transportError {
                let timeouts = Timeouts(total: .seconds(5))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            var received = 0
            for try await chunk in held.body {
                received += chunk.count
                if received > 32 << 20 { break }
            }
            #expect(received > 32 << 20)
        }
    }

    @Test("does not call a transfer idle while the next bytes of its request have not arrived")
    func idleWhileBodyArrives() async throws {
        try await TestServer.run { server in
            try await server.openConnection()
            let source = TricklingSource(pieces: 3, of: 1000, isKnown: false)
            async let echo = server.echo(
                TransportRequest(
                    method: .post, url: server.url("/echo"), body: .stream(source),
                    timeouts: Timeouts(total: nil, idle: .seconds(1))))
            // This transfer takes longer than the other may be idle.
            _ = try await transportError {
                let timeouts = Timeouts(total: .seconds(5))
                _ = try await server.transport.send(request(server.url("/silent"), timeouts))
            }
            // If the transfer is over, the source is not read.
            Task { await source.feed() }
            #expect(try await echo.length == 3000)
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

    @Test("gives no bytes once the body was cancelled")
    func cancelledBody() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                TransportRequest(method: .get, url: server.url("/endless")))
            _ = try await server.wait(for: "stalled")
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
                try await server.transport.send(TransportRequest(method: .get, url: server.url("/endless")))
                    .status == 200)
            _ = try await server.wait(for: "gone")
        }
    }

    @Test("knows that a refused connection carried nothing")
    func refused() async throws {
        try await TestServer.run { server in
            let error = try await transportError {
                _ = try await server.transport.send(TransportRequest(method: .post, url: server.closed))
            }
            #expect(error.code == .notConnected && !error.requestWasSent)
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

    @Test(
        "says that a request left when the connection was lost in the middle of it",
        arguments: ["/half", "/drop"])
    func lostUpload(target: String) async throws {
        try await TestServer.run { server in
            let body = RequestBody.bytes([UInt8](repeating: 1, count: 8 << 20))
            let error = try await transportError {
                _ = try await server.transport.send(
                    TransportRequest(method: .post, url: server.url(target), body: body))
            }
            #expect(error.code == .connectionLost && error.requestWasSent)
        }
    }
}
