import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import HTTPTypes
import Testing

@testable import ATProtoCurl

@Suite("CurlTransport's responses", .timeLimit(.minutes(10))) struct ResponseTests {
    @Test("never follows a redirect", .covers("R62", "F5"), arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        try await TestServer.run { server in
            let response = try await server.transport.fetch(
                TransportRequest(method: .post, url: server.url("/status/\(status)"), body: .bytes([1])),
                limit: 100)
            #expect(response.status == status && response.headerFields[.location] == "/echo")
            #expect(try await server.stats().served == ["1 1 POST /status/\(status)"])
        }
    }

    @Test(
        "answers every status without judging it", arguments: [200, 204, 304, 400, 401, 404, 429, 500, 599])
    func statuses(status: Int) async throws {
        try await TestServer.run { server in
            let response = try await server.fetch("/status/\(status)")
            #expect(response.status == status)
            let body = [204, 304].contains(status) ? "" : "status \(status)"
            #expect(String(decoding: response.body, as: UTF8.self) == body)
        }
    }

    @Test("drops interim heads and their fields")
    func interim() async throws {
        try await TestServer.run { server in
            let response = try await server.fetch("/interim")
            #expect(response.status == 200 && response.body == Array("final".utf8))
            #expect(response.headerFields[try #require(HTTPField.Name("X-Early"))] == nil)
            #expect(response.headerFields[try #require(HTTPField.Name("X-Late"))] == "1")
        }
    }

    @Test("joins chunks and ignores trailers")
    func trailers() async throws {
        try await TestServer.run { server in
            let response = try await server.fetch("/trailers")
            #expect(response.body == Array("hello world".utf8))
            #expect(response.headerFields[try #require(HTTPField.Name("X-Trailer"))] == nil)
        }
    }

    @Test("keeps repeated fields apart, trims values and leaves out what is no field")
    func fields() async throws {
        try await TestServer.run { server in
            let fields = try await server.fetch("/fields").headerFields
            func value(_ name: String) throws -> String? { fields[try #require(HTTPField.Name(name))] }
            #expect(fields[values: .setCookie] == ["a=1", "b=2"])
            #expect(try value("X-Empty")?.isEmpty == true)
            #expect(try value("X-Spaced") == "a b")
            #expect(try value("X-Colons") == "a:b:c")
            #expect(try value("dpop-nonce") == "n1")
            #expect(try value("X-Latin")?.hasPrefix("caf") == true)
            #expect(fields.count == 8)
        }
    }

    @Test("takes a large head and ends one that does not")
    func flood() async throws {
        try await TestServer.run { server in
            #expect(try await server.fetch("/flood/200").headerFields.count == 201)
            let error = try await transportError { _ = try await server.fetch("/flood/5000") }
            #expect(error.code == .connectionLost && error.requestWasSent)
        }
    }

    @Test("takes a head of a thousand lines and ends one that has more, however short they are")
    func lines() {
        var whole = ResponseHeadParser()
        _ = whole.take("HTTP/1.1 200 OK\r\n")
        for _ in 0..<998 { _ = whole.take("a:\n") }
        guard case .complete(200, let fields) = whole.take("\r\n") else {
            Issue.record("a thousand lines are too many")
            return
        }
        #expect(fields.count == 998)
        var endless = ResponseHeadParser()
        // The lines of an interim head count as well.
        for line in ["HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"] { _ = endless.take(line) }
        for _ in 0..<997 { _ = endless.take("a:\n") }
        guard case .tooLarge = endless.take("a:\n") else {
            Issue.record("more than a thousand lines are taken")
            return
        }
    }

    @Test("reads megabytes whole")
    func huge() async throws {
        try await TestServer.run { server in
            let size = 20_000_000
            let response = try await server.fetch("/huge/\(size)", limit: size)
            #expect(response.body.count == size)
        }
    }

    @Test("ends the transfer past the limit")
    func limit() async throws {
        try await TestServer.run { server in
            let error = try await transportError { _ = try await server.fetch("/endless", limit: 100_000) }
            #expect(error.code == .tooLarge(limit: 100_000) && error.requestWasSent)
            #expect(try await server.wait(for: "gone").sent < 16_000_000)
        }
    }

    @Test(
        "never takes half an answer for a whole one",
        arguments: ["/cut", "/cut-chunk", "/cut-head", "/garbage", "/drop", "/reset"])
    func cut(target: String) async throws {
        try await TestServer.run { server in
            let error = try await transportError { _ = try await server.fetch(target) }
            #expect(error.code == .connectionLost && error.requestWasSent)
            #expect(error.url == server.url(target).description)
        }
    }

    @Test("hands over what came before the connection was lost, then the loss")
    func partial() async throws {
        try await TestServer.run { server in
            let response = try await server.transport.send(
                TransportRequest(method: .get, url: server.url("/cut")))
            var iterator = response.body.makeAsyncIterator()
            #expect(response.status == 200)
            #expect(try await iterator.next() == Array("0123456789".utf8))
            let error = try await transportError { _ = try await iterator.next() }
            #expect(error.code == .connectionLost)
        }
    }

    @Test("leaves the query out of its errors", .covers("C9"))
    func secretQuery() async throws {
        try await TestServer.run { server in
            let error = try await transportError { _ = try await server.fetch("/drop?token=secret") }
            #expect(error.url == server.url("/drop").description)
            #expect(error.detail?.contains("secret") != true)
        }
    }
}
