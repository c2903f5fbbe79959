import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import Glibc
import HTTPTypes
import Testing

@Suite("URLSessionTransport's responses", .timeLimit(.minutes(10))) struct ResponseTests {
    @Test("never follows a redirect", .covers("R62", "F5"), arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        try await TestServer.run { server in
            let response = try await server.transport.fetch(
                TransportRequest(method: .post, url: server.url("/status/\(status)"), body: .bytes([1])),
                limit: 100)
            #expect(response.status == status && response.headerFields[.location] == "/echo")
            #expect(String(decoding: response.body, as: UTF8.self) == "status \(status)")
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

    @Test(
        "returns a challenge as an answer, and asks no second time", arguments: ["Basic", "Digest", "Other"])
    func challenge(scheme: String) async throws {
        try await TestServer.run { server in
            let response = try await server.transport.fetch(
                TransportRequest(
                    method: .post, url: server.url("/challenge/\(scheme)"),
                    headerFields: [.authorization: "DPoP t"], body: .bytes([1])), limit: 100)
            #expect(response.status == 401 && response.body == Array("who?".utf8))
            #expect(
                response.headerFields[values: .wwwAuthenticate]
                    == [#"\#(scheme) realm="test", DPoP error="use_dpop_nonce""#])
            #expect(response.headerFields[try #require(HTTPField.Name("DPoP-Nonce"))] == "n1")
            #expect(try await server.stats().requests == 1)
        }
    }

    @Test("keeps no cookie and no answer")
    func noStorage() async throws {
        try await TestServer.run { server in
            for _ in 1...2 { #expect(try await server.fetch("/cookie").status == 200) }
            #expect(try await server.stats().requests == 2)
            let echo = try await server.echo(TransportRequest(method: .get, url: server.url("/echo")))
            #expect(echo.values("Cookie").isEmpty)
        }
    }

    @Test("leaves out the fields of an encoding that URLSession has undone")
    func encoded() async throws {
        try await TestServer.run { server in
            let response = try await server.fetch("/encoded")
            #expect(response.body == Array("plain".utf8))
            #expect(response.headerFields[.contentEncoding] == nil)
            #expect(response.headerFields[.contentLength] == nil)
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

    @Test("joins repeated fields")
    func fields() async throws {
        try await TestServer.run { server in
            let fields = try await server.fetch("/repeated").headerFields
            func value(_ name: String) throws -> String? { fields[try #require(HTTPField.Name(name))] }
            #expect(fields[values: .setCookie].joined(separator: "|") == "a=1, b=2")
            #expect(try value("X-Colons") == "a:b:c")
            #expect(try value("dpop-nonce") == "n1")
        }
    }

    @Test("reads megabytes whole, or no more than the limit")
    func huge() async throws {
        try await TestServer.run { server in
            let size = 20_000_000
            #expect(try await server.fetch("/huge/\(size)", limit: size).body.count == size)
            let error = try await transportError {
                _ = try await server.fetch("/huge/\(size)", limit: 100_000)
            }
            #expect(error.code == .tooLarge(limit: 100_000) && error.requestWasSent)
        }
    }

    @Test("never takes half an answer for a whole one", arguments: ["/cut", "/cut-chunk", "/drop", "/reset"])
    func cut(target: String) async throws {
        try await TestServer.run { server in
            let error = try await transportError { _ = try await server.fetch(target) }
            #expect(error.code == .connectionLost && error.requestWasSent)
            #expect(error.url == server.url(target).description)
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

    @Test("takes no text for an answer")
    func garbage() async throws {
        try await TestServer.run { server in
            let error = try await transportError { _ = try await server.fetch("/garbage") }
            #expect(error.code == .connectionLost && error.requestWasSent)
        }
    }

    /// The warning in the documentation of `URLSessionTransport`. If Foundation stops doing this, the warning can go.
    @Test(
        "can't keep Foundation from ending the process after half a head or a trailer",
        arguments: ["/cut-head", "/trailers"])
    func fatalAnswer(target: String) async {
        await #expect(processExitsWith: .signal(SIGILL)) { [target] in
            try await TestServer.run { server in
                _ = try? await server.fetch(target)
            }
        }
    }
}
