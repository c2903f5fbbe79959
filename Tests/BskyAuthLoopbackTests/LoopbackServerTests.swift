import BskyAuthCovers
import BskyAuthTestPrograms
import Foundation
import Synchronization
import Testing

@testable import BskyAuthLoopback

@Suite("LoopbackServer", .timeLimit(.minutes(10))) struct LoopbackServerTests {
    private let seen = Seen()

    /// Limits whose times only bound a hang.
    private static let patient: Limits = {
        var limits = Limits()
        limits.requestTime = .seconds(600)
        limits.lingerTime = .seconds(600)
        return limits
    }()

    /// Runs a server that records each query and answers with it.
    private func withServer(
        limits: Limits = patient, respond: (@Sendable (RedirectRequest) async -> RedirectReply)? = nil,
        _ body: (LoopbackServer) async throws -> Void
    ) async throws {
        let seen = seen
        let server = try await LoopbackServer.bind(ports: nil, path: "/callback", limits: limits) { request in
            seen.add(request.query)
            if let respond { return await respond(request) }
            return RedirectReply(status: 200, html: Array("page \(request.query)".utf8))
        }
        do {
            try await body(server)
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    private func ask(_ server: LoopbackServer, _ request: String) async throws -> RawAnswer? {
        let connection = try #require(RawConnection(port: server.port))
        connection.send(request)
        return await RawAnswer(connection.readToEnd())
    }

    private func get(_ target: String, _ server: LoopbackServer, method: String = "GET") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
    }

    @Test("hands on the query of its path, as it came, and answers with the page", .covers("G9"))
    func redirect() async throws {
        try await withServer { server in
            let answer = try await ask(server, get("/callback?iss=https%3A%2F%2Fa.b&code=c+d", server))
            #expect(answer?.status == 200)
            #expect(answer?.body == "page iss=https%3A%2F%2Fa.b&code=c+d")
            let bare = try await ask(server, get("/callback", server))
            #expect(bare?.body == "page ")
            #expect(seen.all == ["iss=https%3A%2F%2Fa.b&code=c+d", ""])
        }
    }

    @Test(
        "the page can do nothing but show itself by its one style sheet and run its one script",
        .covers("12.7"))
    func securityFields() async throws {
        let style = [UInt8](0..<32)
        let script = [UInt8](32..<64)
        try await withServer(respond: { _ in
            RedirectReply(
                status: 403, html: Array("<p>".utf8), styleSHA256: style, scriptSHA256: script)
        }) { server in
            let answer = try await ask(server, get("/callback?x", server))
            #expect(answer?.status == 403)
            #expect(
                answer?.fields == [
                    "content-length": "3", "content-type": "text/html; charset=utf-8", "connection": "close",
                    "cache-control": "no-store", "referrer-policy": "no-referrer",
                    "x-content-type-options": "nosniff", "x-frame-options": "DENY",
                    "cross-origin-opener-policy": "same-origin",
                    "cross-origin-resource-policy": "same-origin",
                    "content-security-policy": "default-src 'none'; "
                        + "style-src 'sha256-\(Data(style).base64EncodedString())'; "
                        + "script-src 'sha256-\(Data(script).base64EncodedString())'; "
                        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                ])
        }
    }

    @Test(
        "refuses other paths, without looking at them", .covers("L15", "12.7", "C8"),
        arguments: [
            "/", "/favicon.ico", "/callback/", "/callback2?x", "//callback", "/Callback", "/%63allback",
        ])
    func otherPaths(_ target: String) async throws {
        try await withServer { server in
            let answer = try await ask(server, get(target, server))
            #expect(answer?.status == 404)
            #expect(answer?.body == "")
            #expect(answer?.fields["cache-control"] == "no-store")
            #expect(answer?.fields["content-security-policy"]?.contains("script-src") == false)
            #expect(seen.all.isEmpty)
        }
    }

    @Test(
        "refuses other methods", .covers("L15"),
        arguments: ["HEAD", "POST", "OPTIONS", "PUT", "DELETE", "TRACE"])
    func otherMethods(_ method: String) async throws {
        try await withServer { server in
            let answer = try await ask(server, get("/callback?code=c", server, method: method))
            #expect(answer?.status == 405)
            #expect(answer?.fields["allow"] == "GET")
            #expect(seen.all.isEmpty)
        }
    }

    @Test("refuses what says another host, none, or two")
    func hosts() async throws {
        try await withServer { server in
            let port = server.port
            let fields = [
                "Host: localhost:\(port)", "Host: 127.0.0.1", "Host: 127.0.0.1:1",
                "Host: evil.example:\(port)",
                "Host: [::1]:\(port)", "Host: 127.0.0.1:\(port), x", "Host:", "X: y",
                "Host: 127.0.0.1:\(port)\r\nHost: 127.0.0.1:\(port)",
                "Host: 127.0.0.1:\(port)\r\nHost: evil.example",
            ]
            for field in fields {
                let answer = try await ask(server, "GET /callback?code=c HTTP/1.1\r\n\(field)\r\n\r\n")
                #expect(answer?.status == 400, "\(field)")
            }
            #expect(seen.all.isEmpty)
        }
    }

    @Test("goes without its port on port 80, as browsers say it, and nowhere else")
    func defaultPort() {
        let rules = RedirectRules(path: "/callback", port: 80)
        #expect(rules.isAddressed(by: ["127.0.0.1"]) && rules.isAddressed(by: ["127.0.0.1:80"]))
        for hosts in [[], ["127.0.0.1:"], ["127.0.0.1:8080"], ["localhost"], ["127.0.0.1", "127.0.0.1"]] {
            #expect(!rules.isAddressed(by: hosts), "\(hosts)")
        }
        #expect(!RedirectRules(path: "/callback", port: 8080).isAddressed(by: ["127.0.0.1"]))
    }

    @Test("refuses a request with a body")
    func bodies() async throws {
        try await withServer { server in
            let start = "GET /callback?code=c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
            for rest in ["Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
                let answer = try await ask(server, start + rest)
                #expect(answer?.status == 400)
            }
            #expect(seen.all.isEmpty)
        }
    }

    @Test("refuses what is not HTTP")
    func garbage() async throws {
        try await withServer { server in
            let texts = [
                "hello\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", "GET /callback HTTP/9.9\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /callback?a b HTTP/1.1\r\n\r\n",
                "GET /callback HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n",
            ]
            for text in texts {
                let answer = try await ask(server, text)
                #expect(answer?.status == 400, "\(text)")
            }
            #expect(seen.all.isEmpty)
        }
    }

    @Test("refuses a request line, fields or a number of them past the limits")
    func sizes() async throws {
        try await withServer { server in
            func fields(_ more: String) -> String {
                "GET /callback?code=c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(more)\r\n"
            }
            let long = String(repeating: "x", count: 8192)
            let requests = [
                get("/callback?\(long)", server), get("/callback?\(long)\(long)\(long)\(long)", server),
                // The server must not wait for the end of an endless request line.
                "GET /callback?\(long)\(long)\(long)\(long)",
                fields("A: \(long)\r\nB: \(long)\r\n"), fields("A: \(long)\(long)\(long)\(long)\r\n"),
                fields(String(repeating: "A: b\r\n", count: 200)),
            ]
            for request in requests {
                let answer = try await ask(server, request)
                #expect(answer?.status == 400, "\(request.utf8.count) bytes")
            }
            #expect(seen.all.isEmpty)
            #expect(try await ask(server, get("/callback?\(long.dropLast(100))", server))?.status == 200)
        }
    }

    @Test("drops a connection whose request does not come, however it drips")
    func slowRequest() async throws {
        var limits = Self.patient
        limits.requestTime = .milliseconds(200)
        try await withServer(limits: limits) { server in
            let silent = try #require(RawConnection(port: server.port))
            let dripping = try #require(RawConnection(port: server.port))
            dripping.send("GET /callback?code=c HTTP/1.1\r\nHost: 127")
            #expect(await silent.readToEnd() == "")
            #expect(await dripping.readToEnd() == "")
            #expect(seen.all.isEmpty)
        }
    }

    @Test("answers a client that has nothing more to send, and one request per connection")
    func oneRequest() async throws {
        try await withServer { server in
            let connection = try #require(RawConnection(port: server.port))
            connection.send(get("/callback?first", server) + get("/callback?second", server))
            connection.finishSending()
            let text = try #require(await connection.readToEnd())
            #expect(RawAnswer(text)?.body == "page first")
            #expect(seen.all == ["first"])
        }
    }

    @Test("a crowd of silent connections does not keep the browser out")
    func crowd() async throws {
        var limits = Self.patient
        limits.connections = 4
        try await withServer(limits: limits) { server in
            let crowd = try (0..<8).map { _ in try #require(RawConnection(port: server.port)) }
            let answer = try await ask(server, get("/callback?code=c", server))
            #expect(answer?.status == 200)
            // The oldest connection was closed.
            #expect(await crowd[0].readToEnd() == "")
        }
    }

    @Test("two redirects at once are both handed on")
    func concurrency() async throws {
        let gate = Gate(count: 2)
        try await withServer(respond: { request in
            await gate.wait()
            return RedirectReply(status: 200, html: Array(request.query.utf8))
        }) { server in
            async let first = ask(server, get("/callback?a", server))
            async let second = ask(server, get("/callback?b", server))
            let answers = try await [first, second]
            #expect(answers.map { $0?.body } == ["a", "b"])
        }
    }

    @Test("a browser that leaves does not end the answer's work")
    func disconnection() async throws {
        let started = Gate(count: 2)
        let left = Gate(count: 2)
        let finished = Seen()
        try await withServer(respond: { _ in
            await started.wait()
            await left.wait()
            finished.add(Task.isCancelled ? "cancelled" : "finished")
            return RedirectReply(status: 200, html: [])
        }) { server in
            let connection = try #require(RawConnection(port: server.port))
            connection.send(get("/callback?code=c", server))
            await started.wait()
            connection.disconnect()
            await left.wait()
        }
        #expect(finished.all == ["finished"])
    }

    @Test("shutdown lets the answer under way finish, takes no new ones, and frees the port", .covers("L14"))
    func shutdown() async throws {
        let started = Gate(count: 2)
        let released = Gate(count: 2)
        let server = try await LoopbackServer.bind(ports: nil, path: "/callback") { _ in
            await started.wait()
            await released.wait()
            return RedirectReply(status: 200, html: Array("late".utf8))
        }
        let port = server.port
        let connection = try #require(RawConnection(port: port))
        let idle = try #require(RawConnection(port: port))
        connection.send(get("/callback?code=c", server))
        await started.wait()
        async let end: Void = server.shutdown()
        while RawConnection(port: port) != nil { await Task.yield() }
        await released.wait()
        #expect(await RawAnswer(connection.readToEnd())?.body == "late")
        await end
        #expect(await idle.readToEnd() == "")
        await server.shutdown()
        let next = try await LoopbackServer.bind(ports: port...port, path: "/") { _ in
            RedirectReply(status: 200, html: [])
        }
        #expect(next.port == port)
        await next.shutdown()
    }

    @Test("listens on the loopback address and no other", .covers("L14", "C8"))
    func address() async throws {
        try await withServer { server in
            #expect(RawConnection(port: server.port) != nil)
            // All of 127/8 is this machine, so a wildcard would answer here.
            #expect(RawConnection(port: server.port, address: 0x7f00_0002) == nil)
        }
    }

    @Test("takes the first free port of a range, and says when there is none", .covers("C8"))
    func ports() async throws {
        try await withServer { server in
            let port = server.port
            let respond: @Sendable (RedirectRequest) async -> RedirectReply = { _ in
                RedirectReply(status: 200, html: [])
            }
            await #expect(throws: LoopbackServerError.portBusy(port...port)) {
                try await LoopbackServer.bind(ports: port...port, path: "/", respond: respond)
            }
            let range = port...min(port + 20, 65535)
            if range.count > 1 {
                let second = try await LoopbackServer.bind(ports: range, path: "/", respond: respond)
                #expect(range.contains(second.port) && second.port != port)
                await second.shutdown()
            }
            for bad in [0...0, 65535...65536, -1...3] {
                await #expect(throws: LoopbackServerError.cannotBind(errno: EINVAL)) {
                    try await LoopbackServer.bind(ports: bad, path: "/", respond: respond)
                }
            }
        }
    }

    @Test("curl agrees")
    func curl() async throws {
        try await withServer { server in
            let url = "http://127.0.0.1:\(server.port)/callback?state=s&code=c"
            let quiet = ["-sS", "--noproxy", "*"]
            let page = try await run("curl", quiet + [url])
            #expect(page == "page state=s&code=c")
            let status = quiet + ["-o", "/dev/null", "-w", "%{http_code}"]
            let byName = url.replacing("127.0.0.1", with: "localhost")
            for (arguments, expected) in [
                ([url], "200"), (["-I", url], "405"), (["-d", "x=y", url], "400"), (["-4", byName], "400"),
            ] {
                let answer = try await run("curl", status + arguments)
                #expect(answer == expected, "\(arguments)")
            }
        }
    }

    /// Runs a program and returns its output.
    private func run(_ name: String, _ arguments: [String]) async throws -> String {
        try await Program.run(
            "/usr/bin/env", [name] + arguments, environment: Program.inheritedEnvironment
        ).text
    }
}

/// Recorded texts, in order.
final class Seen: Sendable {
    private let items = Mutex<[String]>([])

    var all: [String] { items.withLock(\.self) }
    func add(_ item: String) { items.withLock { $0.append(item) } }
}

/// Suspends callers until enough have come.
private actor Gate {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    init(count: Int) {
        self.count = count
    }

    func wait() async {
        guard !isOpen else { return }
        if waiting.count + 1 == count {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}
