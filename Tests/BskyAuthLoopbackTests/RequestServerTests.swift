import ATPNetworking
import BskyAuthTestPrograms
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BskyAuthLoopback

@Suite("RequestServer", .timeLimit(.minutes(10))) struct RequestServerTests {
    /// Limits whose times only bound a hang.
    private static let patient: RequestLimits = {
        var limits = RequestLimits()
        limits.untrustedTime = .seconds(600)
        limits.idleTime = .seconds(600)
        limits.lingerTime = .seconds(600)
        return limits
    }()

    private static func text(_ text: String, _ fields: HTTPFields = [:]) -> OutgoingAnswer {
        OutgoingAnswer(
            response: TransportResponse(
                status: 200, headerFields: fields, body: ResponseBody(Array(text.utf8))),
            endsConnection: false)
    }

    /// Runs a server that answers with what it got, and takes it that requests to paths that begin with `/ok` have shown a secret.
    private func withServer(
        limits: RequestLimits = patient, at place: RequestServer.Place = .port(0),
        answer: (@Sendable (IncomingRequest) async -> OutgoingAnswer)? = nil,
        _ body: (RequestServer, @Sendable () -> [String]) async throws -> Void
    ) async throws {
        let seen = Seen()
        let server = try await RequestServer.bind(place, limits: limits) { request in
            seen.add("\(request.method.rawValue) \(request.target)")
            if request.target.hasPrefix("/ok") { request.secretShown() }
            if let answer { return await answer(request) }
            let body = await Self.whole(request.body)
            return Self.text("\(request.target) \(body)")
        }
        do { try await body(server) { seen.all } } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    private static func whole(_ body: RequestBody) async -> String {
        guard case .stream(let source) = body else { return "none" }
        do {
            return try await source.collect(upTo: 1 << 30).map { "\($0.count)" } ?? "too long"
        } catch {
            return "broken"
        }
    }

    private func ask(_ server: RequestServer, _ text: String) async throws -> String? {
        let connection = try #require(RawConnection(port: server.port ?? 0))
        connection.send(text)
        connection.finishSending()
        return await connection.readToEnd()
    }

    private func head(_ server: RequestServer, _ line: String, _ fields: String...) -> String {
        "\(line)\r\nHost: 127.0.0.1:\(server.port ?? 0)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test("answers one request after the other on a connection that has shown a secret")
    func keepAlive() async throws {
        try await withServer { server, seen in
            let text =
                head(server, "GET /ok1 HTTP/1.1") + head(server, "POST /ok2 HTTP/1.1", "Content-Length: 3")
                + "abc" + head(server, "POST /ok3 HTTP/1.1", "Transfer-Encoding: chunked")
                + "2\r\nab\r\n0\r\n\r\n"
            let answer = try #require(try await ask(server, text))
            #expect(answer.contains("/ok1 none") && answer.contains("/ok2 3") && answer.contains("/ok3 2"))
            #expect(seen() == ["GET /ok1", "POST /ok2", "POST /ok3"])
        }
    }

    @Test("a connection that has shown no secret has one answer")
    func untrusted() async throws {
        try await withServer { server, seen in
            let text = head(server, "GET /no HTTP/1.1") + head(server, "GET /ok HTTP/1.1")
            let answer = try #require(try await ask(server, text))
            #expect(answer.contains("Connection: close") && !answer.contains("/ok"))
            #expect(seen() == ["GET /no"])
        }
    }

    @Test("a request that servers could understand in different ways never gets through, nor what follows it")
    func smuggling() async throws {
        try await withServer { server, seen in
            let host = "Host: 127.0.0.1:\(server.port ?? 0)"
            let next = "GET /ok-smuggled HTTP/1.1\r\n\(host)\r\n\r\n"
            let cases = [
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: 3, 3\r\n\r\nabc",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: +3\r\n\r\nabc",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: 0x3\r\n\r\nabc",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: -1\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "POST /ok HTTP/1.1\r\n\(host)\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "POST /ok HTTP/1.0\r\n\(host)\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET /ok HTTP/1.1\r\n\(host)\r\nX-A: 1\r\n X-Folded: 2\r\n\r\n",
                "GET /ok HTTP/1.1\r\n \(host)\r\n\r\n",
                "GET /ok HTTP/1.1\n\(host)\n\n",
                "GET /ok HTTP/1.1\r\n\(host)\nX-A: 1\r\n\r\n",
                "GET /ok HTTP/1.1\r\n\(host)\r\nX-A: 1\rX-B: 2\r\n\r\n",
                "GET /ok HTTP/1.1\r\n\(host)\r\nX A: 1\r\n\r\n",
                "GET /ok HTTP/1.1\r\n\(host)\r\nX-A: \u{0}\r\n\r\n",
                "GET /ok HTTP/1.1\r\n\(host)\r\n: 1\r\n\r\n",
                "GET /ok HTTP/2.0\r\n\(host)\r\n\r\n",
                "GET /ok HTTP/1.2\r\n\(host)\r\n\r\n",
                "GET /ok\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            ]
            for text in cases {
                let answer = try await ask(server, text + next)
                #expect(
                    answer?.hasPrefix("HTTP/1.1 400") ?? true, "\(text.debugDescription): \(answer ?? "")")
            }
            #expect(seen() == [])
            // A chunk that is not one, after a head that is in order.
            for chunks in [
                "zz\r\nab\r\n0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n", "2\nab\n0\n\n", "-2\r\nab\r\n0\r\n\r\n",
            ] {
                let text = head(server, "POST /ok HTTP/1.1", "Transfer-Encoding: chunked") + chunks
                let answer = try await ask(server, text + next) ?? ""
                #expect(
                    !answer.contains("smuggled") && !answer.contains("/ok 2"),
                    "\(chunks.debugDescription): \(answer)")
            }
            #expect(!seen().contains { $0.contains("smuggled") })
        }
    }

    @Test("only its own address is answered, and no page of another origin")
    func hosts() async throws {
        try await withServer { server, seen in
            let port = server.port ?? 0
            for host in [
                "localhost:\(port)", "127.0.0.1", "127.0.0.1:1", "evil.example:\(port)",
                "127.0.0.1:\(port).evil.example",
                "127.0.0.1:\(port) ", "[::1]:\(port)", "127.1:\(port)", "",
            ] where host != "127.0.0.1:\(port) " {
                let answer = try await ask(server, "GET /ok HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(answer?.hasPrefix("HTTP/1.1 400") == true, "\(host)")
            }
            #expect(try await ask(server, "GET /ok HTTP/1.1\r\n\r\n")?.hasPrefix("HTTP/1.1 400") == true)
            let twice = head(server, "GET /ok HTTP/1.1", "Host: 127.0.0.1:\(port)")
            #expect(try await ask(server, twice)?.hasPrefix("HTTP/1.1 400") == true)
            for origin in ["http://127.0.0.1:\(port)", "https://evil.example", "null", ""] {
                let answer = try await ask(server, head(server, "GET /ok HTTP/1.1", "Origin: \(origin)"))
                #expect(answer?.hasPrefix("HTTP/1.1 400") == true, "\(origin)")
            }
            #expect(seen() == [])
        }
    }

    @Test("a refused head gets its reason in JSON, with no field that lets a web page read it")
    func reasons() async throws {
        try await withServer { server, _ in
            let address = "http://127.0.0.1:\(server.port ?? 0)"
            for (text, reason) in [
                ("POST /ok HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 2\r\n\r\n{}", address),
                (
                    head(server, "GET /ok HTTP/1.1", "Origin: https://evil.example"),
                    "web pages are not answered"
                ),
                (head(server, "GET /ok HTTP/1.1", "Expect: 200-ok"), "100-continue"),
                // More than the system keeps for a reader: all of it is taken, so that the program gets to the answer.
                (
                    "POST /ok HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 30000000\r\n\r\n"
                        + String(repeating: "x", count: 30_000_000), address
                ),
            ] {
                let answer = try #require(RawAnswer(try await ask(server, text)), "\(text.prefix(80))")
                let body = try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))
                #expect(answer.status == 400 && body["error"] == "InvalidRequest", "\(answer)")
                #expect(body["message"]?.contains(reason) == true, "\(answer.body)")
                #expect(
                    Set(answer.fields.keys) == ["content-type", "content-length", "connection"]
                        && answer.fields["connection"] == "close")
            }
            let head = try #require(
                RawAnswer(try await ask(server, "HEAD /ok HTTP/1.1\r\nHost: localhost\r\n\r\n")))
            #expect(head.status == 400 && head.body == "")
        }
    }

    @Test("of a thousand idle connections a few stay, and a request is answered")
    func idle() async throws {
        try await withServer { server, _ in
            var idle: [RawConnection] = []
            for _ in 1...1000 {
                if let connection = RawConnection(port: server.port ?? 0) { idle.append(connection) }
            }
            let answer = try await ask(server, head(server, "GET /ok HTTP/1.1"))
            #expect(answer?.hasPrefix("HTTP/1.1 200") == true)
            let closed = await idle[0].readToEnd()
            #expect(closed == "")
        }
    }

    @Test("connections without a right are the first to go, and never those with one")
    func crowd() async throws {
        try await withServer { server, _ in
            let trusted = try #require(RawConnection(port: server.port ?? 0))
            trusted.send(head(server, "GET /ok-first HTTP/1.1"))
            // Its answer shows that it is known now.
            while try await ask(server, head(server, "GET /ok HTTP/1.1")) == nil {}
            var strangers: [RawConnection] = []
            for _ in 1...200 { strangers.append(try #require(RawConnection(port: server.port ?? 0))) }
            trusted.send(head(server, "GET /ok-second HTTP/1.1", "Connection: close"))
            let answers = await trusted.readToEnd()
            #expect(answers?.contains("/ok-first") == true && answers?.contains("/ok-second") == true)
        }
    }

    @Test("a slow head, and a slow body without a right, end their connection")
    func slow() async throws {
        var limits = Self.patient
        limits.untrustedTime = .milliseconds(200)
        try await withServer(limits: limits) { server, seen in
            let slowHead = try #require(RawConnection(port: server.port ?? 0))
            slowHead.send("GET /ok HTT")
            #expect(await slowHead.readToEnd() == "")
            let slowBody = try #require(RawConnection(port: server.port ?? 0))
            slowBody.send(head(server, "POST /no HTTP/1.1", "Content-Length: 5") + "ab")
            #expect(await slowBody.readToEnd() == "")
            #expect(seen().allSatisfy { $0 == "POST /no" })
        }
    }

    @Test("HEAD has the length and no body, and 204 and 304 neither body nor chunks")
    func withoutBody() async throws {
        let answer: @Sendable (IncomingRequest) async -> OutgoingAnswer = { request in
            let status = Int(request.target.suffix(3)) ?? 200
            return OutgoingAnswer(
                response: TransportResponse(
                    status: status, headerFields: status == 200 ? [.contentLength: "5"] : [:],
                    body: ResponseBody(
                        request.method == .head || status != 200 ? [] : Array("hello".utf8))),
                endsConnection: false)
        }
        try await withServer(answer: answer) { server, _ in
            let text =
                head(server, "HEAD /ok HTTP/1.1") + head(server, "GET /ok204 HTTP/1.1")
                + head(server, "GET /ok304 HTTP/1.1") + head(server, "GET /ok HTTP/1.1")
            let answers = try #require(try await ask(server, text))
            #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 5)
            #expect(answers.hasSuffix("\r\n\r\nhello"))
            #expect(!answers.lowercased().contains("chunked"))
        }
    }

    @Test("a client that waits for it is told to go on with its body")
    func expectation() async throws {
        try await withServer { server, _ in
            let answer = try await curl(
                server, "/ok", "-H", "Expect: 100-continue", "--expect100-timeout", "60", "--data-binary",
                "abc")
            #expect(answer == "/ok 3")
            let other = try await ask(
                server, head(server, "POST /ok HTTP/1.1", "Expect: 200-ok", "Content-Length: 0"))
            #expect(other?.hasPrefix("HTTP/1.1 400") == true)
        }
    }

    @Test("a long body goes to the disk while it is read, and is refused if the disk has no room for it")
    func longBodies() async throws {
        var limits = Self.patient
        limits.spool = 4 << 20
        try await withServer(limits: limits) { server, _ in
            let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID())")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(count: 3 << 20).write(to: file)
            #expect(try await curl(server, "/ok", "--data-binary", "@\(file.path)") == "/ok \(3 << 20)")
            try Data(count: 6 << 20).write(to: file)
            let status = try await curl(
                server, "/ok", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@\(file.path)")
            #expect(status == "507")
        }
    }

    @Test("an answer is whole before its connection ends")
    func lastAnswer() async throws {
        let size = 20_000_000
        let answer: @Sendable (IncomingRequest) async -> OutgoingAnswer = { request in
            let fields: HTTPFields = request.target == "/ok" ? [.contentLength: "\(size)"] : [:]
            let body = ResponseBody([UInt8](repeating: 1, count: size))
            return OutgoingAnswer(
                response: TransportResponse(status: 200, headerFields: fields, body: body),
                endsConnection: false)
        }
        try await withServer(answer: answer) { server, _ in
            for options in [["--http1.0"], ["-H", "Connection: close"]] {
                for path in ["/ok", "/ok-unknown"] {
                    let result = try await Program.run(
                        "/usr/bin/env",
                        ["curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}"] + options + [
                            "http://127.0.0.1:\(server.port ?? 0)\(path)"
                        ], environment: Program.inheritedEnvironment)
                    #expect(result.text == "\(size)", "\(options) \(path): \(result.errors)")
                }
            }
        }
    }

    @Test(
        "a request for another protocol, and one that is answered before its end, are the last of a connection"
    )
    func lastRequest() async throws {
        let answer: @Sendable (IncomingRequest) async -> OutgoingAnswer = { _ in Self.text("early") }
        try await withServer(answer: answer) { server, seen in
            let upgrade = head(
                server, "GET /ok HTTP/1.1", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
                "HTTP2-Settings: AAMAAABk")
            let upgraded = try await ask(server, upgrade + head(server, "GET /ok-next HTTP/1.1"))
            #expect(upgraded?.contains("Connection: close") == true && upgraded?.contains("early") == true)
            let half = try #require(RawConnection(port: server.port ?? 0))
            half.send(head(server, "POST /ok HTTP/1.1", "Content-Length: 10") + "abc")
            half.finishSending()
            let early = await half.readToEnd()
            #expect(early?.contains("Connection: close") == true && early?.contains("early") == true)
            #expect(seen() == ["GET /ok", "POST /ok"])
        }
    }

    @Test("only so many connections are kept for their next request")
    func kept() async throws {
        var limits = Self.patient
        limits.kept = 2
        try await withServer(limits: limits) { server, seen in
            let first = try (0..<2).map { _ in try #require(RawConnection(port: server.port ?? 0)) }
            for connection in first { connection.send(head(server, "GET /ok HTTP/1.1")) }
            while seen().count < 2 { await Task.yield() }
            let third = try await ask(
                server, head(server, "GET /ok HTTP/1.1") + head(server, "GET /ok HTTP/1.1"))
            #expect(third?.components(separatedBy: "HTTP/1.1 200").count == 2, "\(third ?? "")")
            #expect(third?.contains("Connection: close") == true)
        }
    }

    @Test("a Unix socket takes any one Host")
    func socket() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s-\(UUID().uuidString.prefix(8))")
            .path
        try await withServer(at: .socket(path)) { server, _ in
            #expect(server.port == nil)
            let result = try await Program.run(
                "/usr/bin/env", ["curl", "-sS", "--unix-socket", path, "http://localhost/ok"],
                environment: Program.inheritedEnvironment)
            #expect(result.text == "/ok none")
        }
    }

    @Test("an answer that breaks off is not taken for a whole one")
    func brokenAnswer() async throws {
        let answer: @Sendable (IncomingRequest) async -> OutgoingAnswer = { _ in
            OutgoingAnswer(
                response: TransportResponse(
                    status: 200, headerFields: [:], body: ResponseBody(BreakingBody())), endsConnection: false
            )
        }
        try await withServer(answer: answer) { server, _ in
            let text = try #require(try await ask(server, head(server, "GET /ok HTTP/1.1")))
            #expect(text.contains("part") && !text.hasSuffix("0\r\n\r\n"))
        }
    }

    private func curl(_ server: RequestServer, _ path: String, _ arguments: String...) async throws -> String
    {
        let result = try await Program.run(
            "/usr/bin/env", ["curl", "-sS", "http://127.0.0.1:\(server.port ?? 0)\(path)"] + arguments,
            environment: Program.inheritedEnvironment)
        #expect(result.status == 0, "\(result.errors)")
        return result.text
    }
}

/// A body that fails after its first piece.
private final class BreakingBody: ResponseBodySource {
    private let isFirst = Mutex(true)

    func next() async throws(TransportError) -> [UInt8]? {
        let isFirst = isFirst.withLock { first in
            defer { first = false }
            return first
        }
        guard isFirst else { throw TransportError(.connectionLost, requestWasSent: true) }
        return Array("part".utf8)
    }

    func cancel() {}
}
