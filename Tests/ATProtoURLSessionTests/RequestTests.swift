import ATPNetworking
import BskyAuthTestServer
import HTTPTypes
import Testing

@Suite("URLSessionTransport's requests", .timeLimit(.minutes(10))) struct RequestTests {
    @Test(
        "sends path and query byte for byte",
        arguments: [
            "/echo", "/echo/b//c", "/echo/%41%2f%2F", "/echo/did:plc:a@b;c=d", "/echo?", "/echo?a=b&a=c",
            "/echo?q=%20+%c3%a9?/:@", "/echo/~!$&'()*+,=",
        ])
    func target(target: String) async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(TransportRequest(method: .get, url: server.url(target)))
            #expect(echo.target == target)
        }
    }

    @Test(
        "sends nothing where URLSession would send another path",
        arguments: ["/echo/../a", "/echo/./b", "/echo/%2e%2E/a", "/.."])
    func changedTarget(target: String) async throws {
        try await TestServer.run { server in
            let error = try await transportError { _ = try await server.fetch(target) }
            #expect(error.code == .unavailable && !error.requestWasSent)
            #expect(try await server.stats().requests == 0)
        }
    }

    @Test("adds fields that say nothing about the user")
    func get() async throws {
        try await TestServer.run { server in
            let url = server.url("/echo")
            let echo = try await server.echo(TransportRequest(method: .get, url: url))
            let names = Set(echo.headers.compactMap { $0.first?.lowercased() })
            #expect(
                names == [
                    "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection",
                ])
            #expect(echo.values("Host") == [url.origin.authority])
            #expect(echo.values("User-Agent") == ["tests/1"])
            #expect(echo.values("Accept-Encoding") == ["identity"])
            #expect(echo.values("Accept-Language") == ["*"])
            #expect(echo.method == "GET" && echo.length == 0)
        }
    }

    @Test(
        "sends a POST without a body with Content-Length 0 and no Content-Type",
        arguments: [RequestBody.none, .bytes([])])
    func emptyPost(body: RequestBody) async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: body))
            #expect(echo.method == "POST" && echo.length == 0)
            #expect(echo.values("Content-Length") == ["0"])
            #expect(echo.values("Content-Type").isEmpty && echo.values("Transfer-Encoding").isEmpty)
        }
    }

    @Test("sends a large body without waiting for 100 Continue, as bytes without a type")
    func largePost() async throws {
        try await TestServer.run { server in
            let body = [UInt8](repeating: 0, count: 3_000_000)
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: .bytes(body)))
            #expect(echo.length == body.count && echo.values("Content-Length") == ["3000000"])
            #expect(echo.values("Expect").isEmpty)
            #expect(echo.values("Content-Type") == ["application/octet-stream"])
        }
    }

    @Test("sends bytes as they are, zeros included")
    func binaryPost() async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(
                TransportRequest(
                    method: .post, url: server.url("/echo"),
                    headerFields: [.contentType: "application/x-test"], body: .bytes(Array(0...255))))
            #expect(echo.sha256 == "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880")
            #expect(echo.values("Content-Type") == ["application/x-test"])
        }
    }

    @Test("joins repeated fields, and leaves out those that are not the caller's to write")
    func fields() async throws {
        try await TestServer.run { server in
            let url = server.url("/echo")
            var request = TransportRequest(
                method: .post, url: url,
                headerFields: [
                    .contentLength: "1", .transferEncoding: "chunked", .expect: "100-continue",
                    .acceptEncoding: "gzip", .userAgent: "mine", .authorization: "DPoP t",
                ], body: .bytes([1, 2, 3]))
            let (order, host) = try (#require(HTTPField.Name("X-Order")), #require(HTTPField.Name("Host")))
            for value in ["b", "a", "c: d; e"] {
                request.headerFields.append(HTTPField(name: order, value: value))
            }
            request.headerFields[host] = "evil.example"
            let echo = try await server.echo(request)
            #expect(echo.values("X-Order") == ["b, a, c: d; e"])
            #expect(echo.values("User-Agent") == ["mine"] && echo.values("Authorization") == ["DPoP t"])
            #expect(echo.values("Content-Length") == ["3"] && echo.length == 3)
            #expect(echo.values("Host") == [url.origin.authority])
            #expect(echo.values("Transfer-Encoding").isEmpty && echo.values("Expect").isEmpty)
            #expect(echo.values("Accept-Encoding") == ["identity"])
        }
    }

    @Test("keeps other methods, with and without a body")
    func methods() async throws {
        try await TestServer.run { server in
            for method in [HTTPRequest.Method.put, .patch, .delete] {
                for body in [RequestBody.none, .bytes([7])] {
                    let echo = try await server.echo(
                        TransportRequest(method: method, url: server.url("/echo"), body: body))
                    #expect(echo.method == method.rawValue && Int64(echo.length) == body.length)
                }
            }
            let head = try await server.transport.fetch(
                TransportRequest(method: .head, url: server.url("/status/200")), limit: 10)
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }
}
