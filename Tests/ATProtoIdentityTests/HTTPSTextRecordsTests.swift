import ATPNetworking
import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@Suite("HTTPSTextRecords") struct HTTPSTextRecordsTests {
    private static let url = "https://dns.example.com/dns-query"
    private static let name = "_atproto.alice.example.com"
    private let transport = ScriptedTransport()
    private let resolver: HTTPSTextRecords

    init() throws {
        resolver = HTTPSTextRecords(
            transport: transport, server: try HTTPURL(validating: Self.url + "?key=1"))
    }

    private func answer(
        _ message: [UInt8], status: Int = 200, type: String = "application/dns-message"
    ) {
        transport.answer(Self.url + "?key=1", .response(status, [.contentType: type], message))
    }

    /// An answer to the query for ``name`` with a response code and one text record.
    private func message(code: UInt8 = 0, text: String? = nil) throws -> [UInt8] {
        var message = try #require(DNSMessage.textQuery(for: Self.name))
        message[2] = 0x81
        message[3] = 0x80 | code
        guard let text else { return message }
        message[7] = 1
        let data = [UInt8(text.utf8.count)] + Array(text.utf8)
        return message + [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
    }

    private func failure() async -> TextRecordError? {
        await #expect(throws: TextRecordError.self) { try await resolver.textRecords(for: Self.name) }
    }

    @Test("asks with the query as the body, and names nothing in the URL", .covers("D2"))
    func asks() async throws {
        answer(try message(text: "did=did:plc:abc"), type: "Application/DNS-Message; charset=x")
        #expect(try await resolver.textRecords(for: Self.name) == ["did=did:plc:abc"])
        let request = try #require(transport.requests.first)
        #expect(request.method == .post && request.url.description == Self.url + "?key=1")
        #expect(request.headerFields[.accept] == "application/dns-message")
        #expect(request.headerFields[.contentType] == "application/dns-message")
        guard case .bytes(let body) = request.body else {
            Issue.record("no body")
            return
        }
        #expect(body == DNSMessage.textQuery(for: Self.name))
        #expect(request.timeouts.total == .seconds(5))
    }

    @Test("a name that does not exist, or has no texts, has none", arguments: [3, 0] as [UInt8])
    func absent(_ code: UInt8) async throws {
        answer(try message(code: code))
        #expect(try await resolver.textRecords(for: Self.name) == [])
    }

    @Test("a name that can't be in DNS is not asked for")
    func impossible() async throws {
        let label = String(repeating: "a", count: 64)
        #expect(try await resolver.textRecords(for: "_atproto.\(label).com") == [])
        #expect(transport.requests.isEmpty)
    }

    @Test("a server that fails or refuses is no answer", arguments: [2, 5] as [UInt8])
    func failing(_ code: UInt8) async throws {
        answer(try message(code: code))
        #expect(await failure() == TextRecordError(.noAnswer, url: Self.url))
    }

    @Test("what is no answer to the query is malformed")
    func malformed() async throws {
        for bytes in [[], try message(text: "a").dropLast(), Array("<html>".utf8)] {
            answer(Array(bytes))
            #expect(await failure() == TextRecordError(.malformed, url: Self.url))
        }
    }

    @Test(
        "no other status than 200 is an answer, and no redirect is followed", arguments: [302, 404, 500, 204])
    func statuses(_ status: Int) async throws {
        answer(try message(code: 3), status: status)
        #expect(await failure() == TextRecordError(.status(status), url: Self.url))
        #expect(transport.requests.count == 1)
    }

    @Test("no other media type is an answer", arguments: ["application/dns-json", "text/html", ""])
    func mediaTypes(_ type: String) async throws {
        answer(try message(text: "did=did:plc:abc"), type: type)
        #expect(await failure() == TextRecordError(.mediaType, url: Self.url))
    }

    @Test("an answer longer than any DNS message is not read")
    func bounded() async throws {
        answer([UInt8](repeating: 0, count: 65536))
        guard case .transport(let error) = await failure()?.code else {
            Issue.record("another error")
            return
        }
        #expect(error.code == .tooLarge(limit: 65535))
    }

    @Test("a server that can't be reached leaves it open whether the handle exists", .covers("D2"))
    func unreachable() async throws {
        transport.answer(Self.url + "?key=1", .failure(.untrusted))
        transport.answer("https://alice.example.com/.well-known/atproto-did", .response(404, [:], []))
        let handles = HandleResolver(transport: transport, textRecords: resolver, policy: NetworkPolicy())
        let error = await #expect(throws: IdentityError.self) {
            try await handles.did(of: Handle(validating: "alice.example.com"))
        }
        #expect(error?.kind == .unavailable)
        answer(try message(code: 3))
        let absent = await #expect(throws: IdentityError.self) {
            try await handles.did(of: Handle(validating: "alice.example.com"))
        }
        #expect(absent?.kind == .doesNotExist)
    }
}
