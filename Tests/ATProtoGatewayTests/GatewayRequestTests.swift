import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import Foundation
import HTTPTypes
import Testing

@testable import ATProtoGateway

@Suite("A request to the gateway") struct GatewayRequestTests {
    private func refusal(
        _ method: String, _ target: String, _ fields: HTTPFields = [:], body: RequestBody = .none
    ) throws -> Int? {
        let request = GatewayRequest(
            method: try #require(HTTPRequest.Method(rawValue: method)), target: target, headerFields: fields,
            body: body)
        do throws(Refusal) {
            _ = try request.call()
            return nil
        } catch {
            return error.status
        }
    }

    @Test("is built anew from its method's name and its query")
    func rebuilt() throws {
        let request = try call("GET APP.Bsky.feed.GETTIMELINE?limit=5&cursor=a%20b+c&actors=1&actors=2")
        #expect(
            request.url(at: Origin(scheme: .https, host: "pds.example")).description
                == "https://pds.example/xrpc/app.bsky.feed.getTimeline?limit=5&cursor=a%20b%20c&actors=1&actors=2"
        )
        let unknown = try call("GET Com.Example.doThing")
        #expect(unknown.nsid.description == "com.example.doThing")
        #expect(try call("HEAD app.bsky.feed.getTimeline").method == .query)
    }

    @Test(
        "a path that a server may read in another way is refused",
        arguments: [
            "/xrpc/app.bsky.feed.getTimeline/", "/xrpc//app.bsky.feed.getTimeline",
            "//xrpc/app.bsky.feed.getTimeline",
            "/xrpc/app.bsky.feed.get%54imeline", "/xrpc/app.bsky.feed.getTimeline;v=1",
            "/xrpc/../app.bsky.feed.getTimeline",
            "/xrpc/app.bsky.feed.getTimeline/..", "/xrpc/getTimeline", "/xrpc/",
            "/xrpc/app.bsky.feed.getTimeline%00",
            "http://127.0.0.1/xrpc/app.bsky.feed.getTimeline", "*", "", "xrpc/app.bsky.feed.getTimeline",
            "/xrpc/app.bsky.feed.getTimeline?a=%", "/xrpc/app.bsky.feed.getTimeline?a=%zz",
            "/xrpc/app.bsky.feed.getTimeline#x", "/xrpc/app.bsky.feed.getTim\\eline",
        ])
    func paths(_ target: String) throws {
        #expect(try refusal("GET", target) == 400)
    }

    @Test("only methods are here, and only GET, HEAD and POST")
    func others() throws {
        for path in ["/", "/.well-known/atproto-did", "/XRPC/app.bsky.feed.getTimeline", "/oauth/token"] {
            #expect(try refusal("GET", path) == 404)
        }
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "QUERY"] {
            #expect(try refusal(method, "/xrpc/com.atproto.repo.createRecord") == 405, "\(method)")
        }
        #expect(try refusal("GET", "/xrpc/app.bsky.feed.getTimeline", body: .bytes([1])) == 400)
    }

    @Test("header fields pass by a list, and one that decides something stands there once")
    func fields() throws {
        let proxy = try #require(HTTPField.Name("atproto-proxy"))
        var fields: HTTPFields = [
            .authorization: "Bearer x", .cookie: "a=b", .accept: "application/json",
            proxy: "did:web:a.example#b",
            .contentType: "text/plain", .range: "bytes=0-1", .userAgent: "curl", .referer: "x",
            .acceptEncoding: "gzip",
        ]
        for name in ["dpop", "forwarded", "x-forwarded-for", "x-real-ip", "upgrade", "te"] {
            fields[try #require(HTTPField.Name(name))] = "x"
        }
        let passed = try call("GET app.bsky.feed.getTimeline", fields).headerFields
        #expect(
            Set(passed.map { $0.name.canonicalName })
                == ["accept", "atproto-proxy", "content-type", "range", "accept-encoding"])
        for name in [proxy, .contentType, .contentEncoding, .range] {
            var fields = HTTPFields()
            fields.append(HTTPField(name: name, value: "a"))
            fields.append(HTTPField(name: name, value: "b"))
            #expect(try refusal("GET", "/xrpc/app.bsky.feed.getTimeline", fields) == 400, "\(name)")
        }
    }

    @Test("of an answer, cookies, proofs, redirects and what is for browsers stay behind")
    func answer() throws {
        var fields: HTTPFields = [
            .contentType: "application/json", .contentEncoding: "gzip", .contentLength: "2",
            .setCookie: "a=b",
            .accessControlAllowOrigin: "*", .wwwAuthenticate: "DPoP", .location: "https://a.example/",
            .server: "x",
        ]
        for name in ["dpop-nonce", "ratelimit-limit", "atproto-repo-rev", "x-powered-by"] {
            fields[try #require(HTTPField.Name(name))] = "1"
        }
        let response = TransportResponse(
            status: 302, headerFields: fields, body: ResponseBody([]))
        #expect(
            Set(GatewayAnswer.passing(response).headerFields.map { $0.name.canonicalName }) == [
                "content-type", "content-encoding", "content-length", "ratelimit-limit", "atproto-repo-rev",
            ])
    }

    private func passing(_ status: Int, _ fields: [(HTTPField.Name, String)], _ body: String)
        -> TransportResponse
    {
        var given = HTTPFields()
        for (name, value) in fields { given.append(HTTPField(name: name, value: value)) }
        return GatewayAnswer.passing(
            TransportResponse(status: status, headerFields: given, body: ResponseBody(Array(body.utf8))))
    }

    @Test(
        "of an answer, a length that can be read in two ways stays behind",
        arguments: [
            [(HTTPField.Name.transferEncoding, "chunked"), (.contentLength, "5")],
            [(.contentLength, "5"), (.contentLength, "6")], [(.contentLength, "5"), (.contentLength, "5")],
            [(.contentLength, "5, 5")], [(.contentLength, "+5")], [(.contentLength, "-5")],
            [(.contentLength, "0x5")], [(.contentLength, "")],
            [(.contentLength, "٥")], [(.contentLength, "99999999999999999999")],
        ])
    func ambiguousLength(_ fields: [(HTTPField.Name, String)]) async throws {
        let answer = passing(200, fields, "a longer body")
        #expect(answer.headerFields[.contentLength] == nil && answer.headerFields[.transferEncoding] == nil)
        #expect(try await answer.body.collect(upTo: 100) == Array("a longer body".utf8))
    }

    @Test("an answer breaks off if its body is longer or shorter than its length")
    func measured() async throws {
        let right = passing(200, [(.contentLength, "005")], "exact")
        #expect(right.headerFields[.contentLength] == "5")
        #expect(try await right.body.collect(upTo: 100) == Array("exact".utf8))
        #expect(try await passing(200, [(.contentLength, "0")], "").body.collect(upTo: 100) == [])
        for (length, body) in [("4", "exact"), ("6", "exact"), ("0", "exact"), ("5", "")] {
            await #expect(throws: TransportError.self, "\(length)") {
                try await passing(200, [(.contentLength, length)], body).body.collect(upTo: 100)
            }
        }
    }

    @Test("an answer without a body has none", arguments: [204, 304])
    func bodiless(_ status: Int) async throws {
        let answer = passing(status, [(.contentLength, "5")], "")
        #expect(answer.headerFields[.contentLength] == (status == 304 ? "5" : nil))
        #expect(try await answer.body.collect(upTo: 100) == [])
        await #expect(throws: TransportError.self) {
            try await passing(status, [], "body").body.collect(upTo: 100)
        }
    }
}
