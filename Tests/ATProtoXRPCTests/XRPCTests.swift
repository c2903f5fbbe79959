import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@Suite("XRPC") struct XRPCTests {
    private func nsid(_ text: String) throws -> NSID { try NSID(validating: text) }

    @Test("the verb tells query from procedure for the public lexicons", .covers("X1"))
    func inference() throws {
        let methods = try JSONObject(Vectors.methods())
        var right = ["query": 0, "procedure": 0]
        var wrong: [String] = []
        for method in methods.members {
            let type = try #require(method.value["type"]?.string)
            let inferred = XRPCMethod(inferredFrom: try nsid(method.name))
            if (inferred == .query) == (type == "query") {
                right[type, default: 0] += 1
            } else {
                wrong.append(method.name)
            }
        }
        #expect(methods.members.count == 319)
        #expect(right == ["query": 177, "procedure": 139])
        #expect(wrong.count == 3)
        #expect(wrong.allSatisfy { $0.hasPrefix("tools.ozone.") })
    }

    @Test(
        "a verb is a whole word",
        arguments: [("a.b.getter", false), ("a.b.get", true), ("a.b.listen", false), ("a.b.list2", true)])
    func wholeWords(_ text: String, _ isQuery: Bool) throws {
        #expect((XRPCMethod(inferredFrom: try nsid(text)) == .query) == isQuery)
    }

    @Test("a query is a GET with its parameters and no body", .covers("X1", "X2"))
    func query() throws {
        let input = try XRPCInput(
            [
                .text(name: "actors", "did:plc:a"), .json(name: "actors", ["b c", "d&e"]),
                .json(name: "limit", 10), .json(name: "on", true), .parameter(name: "q", "1"),
            ], for: .query)
        let request = XRPCRequest(.query, try nsid("app.bsky.actor.getProfiles"), input: input)
        let sent = request.transportRequest(to: Origin(scheme: .https, host: "pds.example.com"))
        #expect(
            sent.url.description == "https://pds.example.com/xrpc/app.bsky.actor.getProfiles"
                + "?actors=did%3Aplc%3Aa&actors=b%20c&actors=d%26e&limit=10&on=true&q=1")
        #expect(sent.method == .get)
        #expect(sent.headerFields[.contentType] == nil)
        #expect(sent.body.length == 0)
        #expect(!sent.needsFreshConnection)
    }

    @Test(
        "a procedure is a POST with a JSON body, its parameters in the query all the same",
        .covers("X1", "X2"))
    func procedure() throws {
        let input = try XRPCInput(
            [
                .text(name: "text", "01"), .json(name: "number", .number("1.50")),
                .parameter(name: "validate", "true"),
            ], for: .procedure)
        let request = XRPCRequest(.procedure, try nsid("com.example.doThing"), input: input)
        let sent = request.transportRequest(to: Origin(scheme: .https, host: "pds.example.com"))
        #expect(sent.url.description == "https://pds.example.com/xrpc/com.example.doThing?validate=true")
        #expect(sent.method == .post)
        #expect(sent.headerFields[.contentType] == "application/json")
        #expect(sent.needsFreshConnection)
        guard case .bytes(let bytes) = sent.body else {
            Issue.record("no body")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"text":"01","number":1.50}"#)
    }

    @Test("a procedure without input has no body and no media type", .covers("X3"))
    func noInput() throws {
        let input = try XRPCInput([], for: .procedure)
        let sent = XRPCRequest(.procedure, try nsid("com.atproto.server.deleteSession"), input: input)
            .transportRequest(to: Origin(scheme: .https, host: "pds.example.com"))
        guard case .none = sent.body else {
            Issue.record("a body")
            return
        }
        #expect(sent.headerFields.isEmpty)
        #expect(sent.url.query == nil)
    }

    @Test("the service of a proxied call and the labelers go along as fields", .covers("X8", "X10", "F13"))
    func fields() throws {
        let service = try ServiceReference(validating: "did:web:api.bsky.app#bsky_appview")
        var fields: HTTPFields = [:]
        fields[try #require(HTTPField.Name.atprotoProxy)] = service.description
        fields[try #require(HTTPField.Name.atprotoAcceptLabelers)] = try AcceptedLabelers(validating: [
            "did:plc:ar7c4by46qjdydhdevvrndac;redact", "did:web:labels.example.com",
        ]).description
        let sent = XRPCRequest(.query, try nsid("app.bsky.feed.getTimeline"), headerFields: fields)
            .transportRequest(to: Origin(scheme: .https, host: "pds.example.com"))
        #expect(
            sent.headerFields.map { "\($0.name.rawName): \($0.value)" } == [
                "atproto-proxy: did:web:api.bsky.app#bsky_appview",
                "atproto-accept-labelers: did:plc:ar7c4by46qjdydhdevvrndac;redact, did:web:labels.example.com",
            ])
    }

    @Test("labelers are DIDs that may redact, and none is something to ask for too", .covers("X10"))
    func labelers() throws {
        #expect(try AcceptedLabelers(validating: []).description.isEmpty)
        for text in [
            "", "labels.example.com", "did:plc:a b", "did:web:a.b;hide", "did:web:a.b;", "did:web:a.b,x",
        ] {
            #expect(throws: InvalidAcceptedLabelers.self) { try AcceptedLabelers(validating: [text]) }
        }
    }

    @Test("writes are sent twice only where the second one changes nothing", .covers("F7"))
    func idempotence() throws {
        let methods = try JSONObject(Vectors.methods())
        let repeatable = try methods.members.filter { member in
            guard member.value["type"]?.string == "procedure" else { return false }
            return XRPCRequest(.procedure, try NSID(validating: member.name)).isIdempotent
        }
        // Every name in the table is a public method, so no name is misspelt.
        #expect(repeatable.count == XRPCRequest.idempotentProcedures.count)
        for name in ["createRecord", "applyWrites", "importRepo"] {
            let nsid = try NSID(validating: "com.atproto.repo.\(name)")
            #expect(!XRPCRequest(.procedure, nsid).isIdempotent)
            #expect(XRPCRequest(.query, nsid).isIdempotent)
        }
        // In an unknown lexicon a verb proves nothing.
        #expect(!XRPCRequest(.procedure, try NSID(validating: "com.example.queue.deleteNext")).isIdempotent)
    }

    @Test("what only its publisher calls a query is not sent twice, unless its name says so too")
    func publishersQuery() throws {
        let server = Origin(scheme: .https, host: "pds.example.com")
        for (name, isSafe) in [("deleteNext", false), ("getNext", true), ("tree", false)] {
            var request = XRPCRequest(.query, try NSID(validating: "com.example.queue.\(name)"))
            #expect(request.isIdempotent && !request.transportRequest(to: server).needsFreshConnection)
            request.isForeignQuery = true
            #expect(request.isIdempotent == isSafe, "\(name)")
            #expect(request.transportRequest(to: server).needsFreshConnection == !isSafe, "\(name)")
        }
    }

    @Test("values that fit nowhere are refused")
    func invalidInput() throws {
        #expect(throws: InvalidXRPCInput.repeated("a")) {
            try XRPCInput([.text(name: "a", "1"), .json(name: "a", 2)], for: .procedure)
        }
        for value in [nil, ["a": 1], [[1]]] as [JSONValue] {
            #expect(throws: InvalidXRPCInput.notAParameter("a")) {
                try XRPCInput([.json(name: "a", value)], for: .query)
            }
        }
    }
}

@Suite("XRPCError") struct XRPCErrorTests {
    private func error(
        _ body: String, status: Int = 400, type: String? = "application/json", fields: HTTPFields = [:]
    ) -> XRPCError {
        var fields = fields
        fields[.contentType] = type
        return XRPCError(status: status, headerFields: fields, body: Array(body.utf8))
    }

    @Test(
        "reads every shape of body that servers send", .covers("X6"),
        arguments: [
            (#"{"error":"InvalidRequest","message":"no"}"#, "application/json", "InvalidRequest", "no"),
            (
                #"{"error":"invalid_grant","error_description":"gone"}"#, "application/json", "invalid_grant",
                "gone"
            ),
            (#"{"error":"use_dpop_nonce"}"#, "application/json; charset=utf-8", "use_dpop_nonce", nil),
            (#"{"error":"\"client_id\" mismatch"}"#, "application/json", nil, "\"client_id\" mismatch"),
            (#"{"message":"alone"}"#, nil, nil, "alone"),
            (#"{"error":{"code":1}}"#, "application/json", nil, nil),
            (#"{"error":"A","message":"m\ud83d"}"#, "application/json", "A", "m\u{fffd}"),
            (#"{"error":"A\ud83d","message":"m"}"#, "application/json", nil, "m"),
            (#"{"error":"A","error":"B"}"#, "application/json", nil, nil),
            (#"{"error":"A","\ud83d":"m"}"#, "application/json", nil, nil),
            (#"{"error":"#, "application/json", nil, nil),
            (#"[1]"#, "application/json", nil, nil),
            ("<html><b>502</b></html>", "text/html", nil, nil),
            ("\n<html>", nil, nil, nil),
            ("\nnot found\nmore", "text/plain; charset=utf-8", nil, "not found"),
            ("", nil, nil, nil),
        ] as [(String, String?, String?, String?)])
    func shapes(_ body: String, _ type: String?, _ name: String?, _ message: String?) {
        let error = error(body, type: type)
        #expect(error.name == name)
        #expect(error.message == message)
    }

    @Test("a body that is not text says nothing", .covers("X6"))
    func binary() {
        let error = XRPCError(status: 502, headerFields: [.contentType: "text/plain"], body: [0xff, 0xfe, 0])
        #expect(error.message == nil)
    }

    @Test("control characters and reordering marks do not reach a terminal", .covers("X6"))
    func harmlessText() {
        let error = error(
            #"{"error":"X","message":"a\u001b[31mb\nc\u202ed\u0000\u009b\ud83d\udc69\u200d\ud83d\udcbb"}"#)
        #expect(error.message == "a\u{fffd}[31mb c\u{fffd}d\u{fffd}\u{fffd}👩‍💻")
        #expect(self.error(#"{"error":"a\u001b[2J"}"#).name == nil)
        let long = self.error(#"{"message":"\#(String(repeating: "x", count: 5000))"}"#).message
        #expect(long?.count == 501)
    }

    @Test("names the missing scope, exactly", .covers("S8"))
    func missingScope() {
        let body =
            #"{"error":"ScopeMissingError","message":"Missing required scope \"rpc:a.b.c?aud=did:web:x.y%23z\""}"#
        let error = error(body, status: 403)
        #expect(error.missingScope == "rpc:a.b.c?aud=did:web:x.y%23z")
        let bare =
            #"{"error":"insufficient_scope","message":"Missing required scope repo:a.b.c?action=create"}"#
        #expect(self.error(bare, status: 403).missingScope == "repo:a.b.c?action=create")
        for text in ["", "a b", "a\"b"].map({ "Missing required scope \($0)" }) {
            #expect(XRPCError(status: 403, name: "insufficient_scope", message: text).missingScope == nil)
        }
        for scope in ["", "a b", "a\u{1b}b", "unterminated"] {
            let text = "Missing required scope \"\(scope)\(scope == "unterminated" ? "" : "\"")"
            #expect(XRPCError(status: 403, name: "ScopeMissingError", message: text).missingScope == nil)
        }
    }

    @Test("knows when to come back")
    func rateLimit() throws {
        let limits: HTTPFields = [
            .retryAfter: "7", HTTPField.Name("RateLimit-Limit")!: "3000",
            HTTPField.Name("RateLimit-Remaining")!: "0", HTTPField.Name("RateLimit-Reset")!: "1800000100",
        ]
        let limit = try #require(error("", status: 429, fields: limits).rateLimit)
        #expect(limit.limit == 3000)
        #expect(limit.remaining == 0)
        #expect(limit.wait(from: 1_800_000_000) == .seconds(7))
        var withoutRetryAfter = limits
        withoutRetryAfter[.retryAfter] = nil
        #expect(
            error("", status: 429, fields: withoutRetryAfter).rateLimit?.wait(from: 1_800_000_000)
                == .seconds(100))
        #expect(
            error("", status: 429, fields: withoutRetryAfter).rateLimit?.wait(from: 1_800_000_200) == .zero)
        #expect(error("", status: 429).rateLimit == nil)
        #expect(error("", status: 429, fields: [.retryAfter: "-1"]).rateLimit == nil)
    }

    @Test("a time to come back may be a date, by the clock of who says it")
    func retryDate() {
        let fields: HTTPFields = [
            .retryAfter: "Fri, 20 Nov 2026 22:03:51 GMT", .date: "Fri, 20 Nov 2026 22:03:21 GMT",
        ]
        #expect(error("", status: 503, fields: fields).requestedWait(from: 0) == .seconds(30))
        #expect(error("", status: 503, fields: [.retryAfter: "tomorrow"]).requestedWait(from: 0) == nil)
        #expect(error("", status: 503, fields: [.retryAfter: fields[.retryAfter]!]).rateLimit == nil)
    }

    @Test("a window is waited for where it is closed, and not where the server failed otherwise")
    func requestedWait() {
        let window: HTTPFields = [HTTPField.Name("RateLimit-Reset")!: "1800000100"]
        #expect(error("", status: 429, fields: window).requestedWait(from: 1_800_000_000) == .seconds(100))
        #expect(error("", status: 429, fields: window).requestedWait(from: 1_800_000_100) == nil)
        #expect(error("", status: 503, fields: window).requestedWait(from: 1_800_000_000) == nil)
        #expect(
            error("", status: 503, fields: [.retryAfter: "9"]).requestedWait(from: 1_800_000_000)
                == .seconds(9))
        #expect(error("", status: 429, fields: [.retryAfter: "0"]).requestedWait(from: 1_800_000_000) == nil)
    }

    @Test(
        "the end of a window may be in seconds since 1970, in milliseconds, or so many seconds away",
        arguments: ["1795212231", "1795212231000", "30"])
    func windowEnd(text: String) {
        let fields: HTTPFields = [
            HTTPField.Name("RateLimit-Reset")!: text, .date: "Fri, 20 Nov 2026 22:03:21 GMT",
        ]
        #expect(error("", status: 429, fields: fields).requestedWait(from: 1_795_212_201) == .seconds(30))
    }

    @Test("tells what may pass from what won't")
    func transience() {
        #expect([429, 500, 502, 503, 504].allSatisfy { error("", status: $0).isTransient })
        #expect([400, 401, 403, 404, 501].allSatisfy { !error("", status: $0).isTransient })
        #expect(
            error(#"{"error":"InvalidRequest","message":"Incorrect HTTP method (GET) expected POST"}"#)
                .saysWrongMethod)
        #expect(!error(#"{"error":"InvalidRequest","message":"no"}"#).saysWrongMethod)
    }

    @Test(
        "tells a method that the server does not know by the status or the name, and never by the message",
        .covers("X6"),
        arguments: [
            (501, #"{"error":"MethodNotImplemented","message":"Method Not Implemented"}"#, true),
            (501, "{}", true), (404, #"{"error":"XRPCNotSupported"}"#, true),
            (500, #"{"error":"MethodNotImplemented"}"#, true),
            (501, "<html>Not Implemented</html>", false), (501, "", false), (501, "[1]", false),
            (501, "Method Not Implemented", false), (501, #"{"error":"#, false),
            (500, #"{"error":"InternalServerError","message":"MethodNotImplemented"}"#, false),
            (500, #"{"error":"error in app.bsky.feed.getTimeline"}"#, false),
            (502, #"{"error":"UpstreamFailure"}"#, false), (404, #"{"error":"NotFound"}"#, false),
        ])
    func unknownMethod(status: Int, body: String, isUnknown: Bool) {
        let error = error(body, status: status)
        #expect(error.saysUnknownMethod == isUnknown)
        if isUnknown { #expect(!error.isTransient) }
    }
}
