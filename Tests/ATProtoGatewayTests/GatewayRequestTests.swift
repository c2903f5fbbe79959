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
            body: body,
            vouch: {})
        do throws(Refusal) {
            _ = try request.call(known)
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

    @Test("of an answer, cookies, proofs and what is for browsers stay behind")
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
                "content-type", "content-encoding", "content-length", "location", "ratelimit-limit",
                "atproto-repo-rev",
            ])
    }
}

@Suite("The tokens of a run") struct RunKeysTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("are read by the run that made them, until their time is over or their session ends")
    func life() throws {
        let keys = try RunKeys()
        let token = keys.token(.access, did: "did:plc:alice", id: "one", now: now)
        #expect(
            keys.read(token, now: now)
                == .init(kind: .access, did: "did:plc:alice", id: "one", isExpired: false))
        #expect(keys.read(token, now: now.addingTimeInterval(7199))?.isExpired == false)
        #expect(keys.read(token, now: now.addingTimeInterval(7200))?.isExpired == true)
        #expect(try RunKeys().read(token, now: now) == nil)
        let refresh = keys.token(.refresh, did: "did:plc:alice", id: "one", now: now)
        #expect(keys.read(refresh, now: now)?.kind == .refresh)
        keys.end("one")
        #expect(keys.read(token, now: now) == nil && keys.read(refresh, now: now) == nil)
        let other = keys.token(.access, did: "did:plc:alice", id: "two", now: now)
        #expect(keys.read(other, now: now) != nil)
    }

    @Test("a token with any byte changed, another algorithm, or without a code is not read")
    func forged() throws {
        let keys = try RunKeys()
        let token = keys.token(.access, did: "did:plc:alice", id: "one", now: now)
        for index in token.utf8.indices {
            var bytes = Array(token.utf8)
            let place = token.utf8.distance(from: token.utf8.startIndex, to: index)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(keys.read(String(decoding: bytes, as: UTF8.self), now: now) == nil, "byte \(place)")
        }
        let parts = token.split(separator: ".")
        let none = Data(#"{"typ":"at+jwt","alg":"none"}"#.utf8).base64EncodedString().prefix { $0 != "=" }
        for text in [
            "", ".", "..", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", "\(none).\(parts[1]).",
            "\(none).\(parts[1]).\(parts[2])", "\(token).", "\(token)=", " \(token)",
        ] {
            #expect(keys.read(text, now: now) == nil, "\(text)")
        }
        let refresh = keys.token(.refresh, did: "did:plc:alice", id: "one", now: now).split(separator: ".")
        let raised = "\(parts[0]).\(refresh[1]).\(refresh[2])"
        #expect(keys.read(raised, now: now) == nil, "the kind of a token is under its code, too")
    }

    @Test("each secret has 160 random bits and a name that people know again")
    func secrets() throws {
        let secrets = try (1...100).map { _ in try RunKeys.secret() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy { $0.hasPrefix("bskyauth-run-") && $0.utf8.count == 13 + 27 })
    }
}
