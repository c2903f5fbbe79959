import ATPNetworking
import ATProtoCurl
import BskyAuthTestServer
import HTTPTypes
import Testing

@Suite("CurlTransport's requests", .timeLimit(.minutes(10))) struct RequestTests {
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test(
        "sends path and query byte for byte",
        arguments: [
            "/echo", "/echo/../a/./b//c", "/echo/%41%2f%2F%zz", "/echo/did:plc:a@b;c=d", "/echo?",
            "/echo?a=b&a=c",
            "/echo?q=%20+%c3%a9?/:@", "/echo/~!$&'()*+,=",
        ])
    func target(target: String) async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(TransportRequest(method: .get, url: server.url(target)))
            #expect(echo.target == target)
        }
    }

    @Test("adds Host, User-Agent and Accept to a GET and nothing else")
    func get() async throws {
        try await TestServer.run { server in
            let url = server.url("/echo")
            let echo = try await server.echo(TransportRequest(method: .get, url: url))
            #expect(Set(echo.headers.compactMap(\.first)) == ["Host", "User-Agent", "Accept"])
            #expect(echo.values("Host") == [url.origin.authority])
            #expect(echo.values("User-Agent") == ["tests/1"])
            #expect(echo.method == "GET" && echo.length == 0)
        }
    }

    @Test(
        "sends a POST without a body with Content-Length 0 and no Content-Type",
        arguments: [
            RequestBody.none, .bytes([]),
        ])
    func emptyPost(body: RequestBody) async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: body))
            #expect(echo.method == "POST" && echo.sha256 == Self.emptyHash)
            #expect(echo.values("Content-Length") == ["0"])
            #expect(echo.values("Content-Type").isEmpty && echo.values("Transfer-Encoding").isEmpty)
        }
    }

    @Test("sends a large body without waiting for 100 Continue and without a Content-Type of its own")
    func largePost() async throws {
        try await TestServer.run { server in
            let body = [UInt8](repeating: 0, count: 3_000_000)
            let echo = try await server.echo(
                TransportRequest(method: .post, url: server.url("/echo"), body: .bytes(body)))
            #expect(echo.length == body.count && echo.values("Content-Length") == ["3000000"])
            #expect(echo.values("Expect").isEmpty && echo.values("Content-Type").isEmpty)
        }
    }

    @Test("sends bytes as they are, zeros included")
    func binaryPost() async throws {
        try await TestServer.run { server in
            let echo = try await server.echo(
                TransportRequest(
                    method: .post, url: server.url("/echo"),
                    headerFields: [.contentType: "application/x-test"],
                    body: .bytes(Array(0...255))))
            #expect(echo.sha256 == "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880")
            #expect(echo.values("Content-Type") == ["application/x-test"])
        }
    }

    @Test("sends fields in order, repeated and empty ones too")
    func fields() async throws {
        try await TestServer.run { server in
            var request = TransportRequest(method: .get, url: server.url("/echo"))
            let name = try #require(HTTPField.Name("X-Order"))
            for value in ["b", "a", "", "c: d; e"] {
                request.headerFields.append(HTTPField(name: name, value: value))
            }
            request.headerFields[.userAgent] = "mine"
            request.headerFields[.authorization] = "DPoP t"
            let echo = try await server.echo(request)
            #expect(echo.values("X-Order") == ["b", "a", "", "c: d; e"])
            #expect(echo.values("User-Agent") == ["mine"])
            #expect(echo.values("Authorization") == ["DPoP t"])
        }
    }

    @Test("leaves out framing fields that are not the caller's to write")
    func framing() async throws {
        try await TestServer.run { server in
            let url = server.url("/echo")
            var request = TransportRequest(
                method: .post, url: url,
                headerFields: [.contentLength: "1", .transferEncoding: "chunked", .expect: "100-continue"],
                body: .bytes([1, 2, 3]))
            request.headerFields[try #require(HTTPField.Name("Host"))] = "evil.example"
            let echo = try await server.echo(request)
            #expect(echo.values("Content-Length") == ["3"] && echo.length == 3)
            #expect(echo.values("Host") == [url.origin.authority])
            #expect(echo.values("Transfer-Encoding").isEmpty && echo.values("Expect").isEmpty)
        }
    }

    @Test("never lets a field value start a line of its own")
    func injection() async throws {
        try await TestServer.run { server in
            let name = try #require(HTTPField.Name("X-A"))
            var request = TransportRequest(method: .get, url: server.url("/echo"))
            request.headerFields.append(HTTPField(name: name, value: "1\r\nX-Injected: 1"))
            let echo = try await server.echo(request)
            #expect(echo.values("X-Injected").isEmpty)
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
