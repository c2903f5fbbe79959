import ATPJSON
import ATPNetworking
import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@Suite("HandleResolver") struct HandleResolverTests {
    private static let name = "_atproto.alice.example.com"
    private static let wellKnown = "https://alice.example.com/.well-known/atproto-did"
    private static let first = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private static let second = "did:web:alice.example.com"
    private let transport = ScriptedTransport()

    private func resolve(
        _ handle: String = "alice.example.com", _ records: Result<[String], TextRecordError> = .success([]),
        policy: NetworkPolicy = NetworkPolicy()
    ) async throws -> String {
        let resolver = HandleResolver(
            transport: transport, textRecords: ScriptedTextRecords([Self.name: records]),
            policy: policy)
        return try await resolver.did(of: Handle(validating: handle)).description
    }

    private func failure(_ records: Result<[String], TextRecordError> = .success([])) async -> IdentityError?
    {
        await #expect(throws: IdentityError.self) { try await resolve("alice.example.com", records) }
    }

    @Test("takes the DID of the TXT record and passes over other records", .covers("R4"))
    func textRecord() async throws {
        let records = ["v=spf1 -all", "did=\(Self.first)", "did=\(Self.first)", "DID=x"]
        #expect(try await resolve("alice.example.com", .success(records)) == Self.first)
    }

    @Test("DNS wins over the well-known file, and does not wait for it", .covers("R6"))
    func precedence() async throws {
        transport.answer(Self.wellKnown, .text(Self.second))
        #expect(try await resolve("alice.example.com", .success(["did=\(Self.first)"])) == Self.first)
        transport.answer(Self.wellKnown, .silence)
        #expect(try await resolve("alice.example.com", .success(["did=\(Self.first)"])) == Self.first)
    }

    @Test("records of two DIDs are a contradiction that the file can't settle", .covers("R4", "D4"))
    func conflict() async {
        transport.answer(Self.wellKnown, .text(Self.second))
        let error = await failure(.success(["did=\(Self.first)", "did=\(Self.second)"]))
        #expect(error?.code == .conflictingRecords)
        #expect(error?.kind == .failedVerification)
    }

    @Test(
        "takes the DID of the file, without the white space around it", .covers("R5"), arguments: [200, 203])
    func file(_ status: Int) async throws {
        transport.answer(Self.wellKnown, .text(" \t\(Self.first)\r\n\n", status: status))
        #expect(try await resolve() == Self.first)
        #expect(
            try await resolve("alice.example.com", .failure(TextRecordError(.noAnswer))) == Self.first)
        #expect(try await resolve("alice.example.com", .success(["did=nonsense"])) == Self.first)
    }

    @Test("follows three redirects over https, and refuses the fourth", .covers("R5"))
    func redirects() async throws {
        transport.answer(Self.wellKnown, .redirect("https://b.example.com/x"))
        transport.answer("https://b.example.com/x", .redirect("/y", status: 308))
        transport.answer("https://b.example.com/y", .redirect("//c.example.com/did#part", status: 301))
        transport.answer("https://c.example.com/did", .text(Self.first))
        #expect(try await resolve() == Self.first)
        transport.answer("https://c.example.com/did", .redirect("z?q"))
        transport.answer("https://c.example.com/z?q", .text(Self.first))
        #expect(await failure()?.code == .tooManyRedirects(limit: 3))
        #expect(!transport.urls.contains("https://c.example.com/z?q"))
    }

    @Test(
        "refuses a redirect to anything but https on its port", .covers("R5"),
        arguments: [
            "http://alice.example.com/x", "http://alice.example.com:443/x",
            "https://alice.example.com:8443/x", "file:///etc/passwd", "ftp:x",
            "https://user@b.example.com/", "",
        ])
    func refusedRedirects(_ location: String) async {
        transport.answer(Self.wellKnown, .redirect(location))
        let error = await failure()
        #expect(error?.code == .redirectTarget(location.isEmpty ? nil : location))
        #expect(error?.step == .handleWellKnown)
        #expect(error?.url == Self.wellKnown)
        #expect(error?.kind == .unavailable)
        #expect(transport.urls == [Self.wellKnown])
    }

    @Test("a host at a private address is refused, not absent", .covers("R5"))
    func privateAddress() async {
        transport.answer(Self.wellKnown, .failure(.refused(.privateAddress)))
        #expect(await failure()?.kind == .unavailable)
    }

    @Test("a short name that is nowhere does not exist", .covers("R85"), arguments: [404, 410])
    func notFound(_ status: Int) async {
        #expect(await failure()?.kind == .doesNotExist)
        transport.answer(Self.wellKnown, .text("", status: status))
        let error = await failure()
        #expect(error?.code == .notFound)
        #expect(error?.alternatives.map(\.step) == [.handleTextRecord])
    }

    @Test("a page that is no DID, or far too long for one, is no claim", .covers("R7"))
    func otherPages() async {
        transport.answer(Self.wellKnown, .text("<!doctype html>"))
        #expect(await failure()?.code == .notFound)
        transport.answer(Self.wellKnown, .text(String(repeating: "did:plc:", count: 300)))
        #expect(await failure()?.code == .notFound)
    }

    @Test("a redirect with a long page is a redirect, and a short way to nothing is none", .covers("R85"))
    func longRedirect() async throws {
        let page = Array(String(repeating: "moved", count: 1000).utf8)
        transport.answer(Self.wellKnown, .response(302, [.location: "https://b.example.com/x"], page))
        transport.answer("https://b.example.com/x", .text(Self.first))
        #expect(try await resolve() == Self.first)
        transport.answer("https://b.example.com/x", .text("", status: 403))
        #expect(await failure()?.kind == .unavailable)
        transport.answer("https://b.example.com/x", .text("", status: 404))
        #expect(await failure()?.kind == .doesNotExist)
    }

    @Test(
        "a file that a person would read as a DID does not count, and is shown with its flaw", .covers("R5"),
        arguments: [
            ("\u{feff}did:plc:ewvi7nxzyoun6zhxrhs64oiz", .byteOrderMark),
            ("did=did:plc:ewvi7nxzyoun6zhxrhs64oiz", .prefix),
            ("\"did:plc:ewvi7nxzyoun6zhxrhs64oiz\"", .quotationMarks),
            ("did: plc:ewvi7nxzyoun6zhxrhs64oiz", .blank),
            ("did:plc:ewvi7nxzyoun6zhxrhs64oiz did:web:alice.example.com", .blank),
            ("\u{feff}<!doctype html>", nil), ("didn't find it", nil),
        ] as [(String, DIDFlaw?)])
    func flawedFile(_ text: String, _ flaw: DIDFlaw?) async {
        transport.answer(Self.wellKnown, .text(text))
        let error = await failure()
        #expect(error?.code == flaw.map { .flawedDID($0, found: text) } ?? .notFound)
        #expect(error?.mayPass == false)
    }

    @Test(
        "so is a TXT record, unless the file has the DID", .covers("R4"),
        arguments: [
            ("did= did:plc:ewvi7nxzyoun6zhxrhs64oiz", .blank),
            (" did=did:plc:ewvi7nxzyoun6zhxrhs64oiz", .blank),
            ("did:plc:ewvi7nxzyoun6zhxrhs64oiz", .noPrefix),
            ("DID=did:plc:ewvi7nxzyoun6zhxrhs64oiz", .noPrefix),
            ("\"did=did:plc:ewvi7nxzyoun6zhxrhs64oiz\"", .quotationMarks),
            ("did=\u{feff}did:plc:ewvi7nxzyoun6zhxrhs64oiz", .byteOrderMark),
        ] as [(String, DIDFlaw)])
    func flawedRecord(_ record: String, _ flaw: DIDFlaw) async throws {
        transport.answer(Self.wellKnown, .text("", status: 404))
        let error = await failure(.success(["v=spf1 -all", record]))
        guard case .flawedDID(flaw, _)? = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
        transport.answer(Self.wellKnown, .text(Self.first))
        #expect(try await resolve("alice.example.com", .success([record])) == Self.first)
    }

    @Test("a DID of another method is told apart", .covers("R13"))
    func unsupportedMethod() async {
        let expected = IdentityError.Code.invalidDID(InvalidDID(.unsupportedMethod("key")))
        transport.answer(Self.wellKnown, .text("did:key:abc"))
        #expect(await failure()?.code == expected)
        transport.answer(Self.wellKnown, .text("", status: 404))
        let error = await failure(.success(["did=did:key:abc"]))
        #expect(error?.code == expected)
        #expect(error?.step == .handleTextRecord)
    }

    @Test(
        "what could not be looked up is not called absent", .covers("R85"),
        arguments: [400, 401, 403, 408, 429, 451, 500, 503])
    func unavailable(_ status: Int) async {
        for page in ["", Self.first, String(repeating: "<p>no</p>", count: 500)] {
            transport.answer(Self.wellKnown, .text(page, status: status))
            let error = await failure()
            #expect(error?.code == .status(status))
            #expect(error?.kind == .unavailable)
        }
        transport.answer(Self.wellKnown, .failure(.timedOut))
        #expect(await failure()?.kind == .unavailable)
        transport.answer(Self.wellKnown, .text("", status: 404))
        let dns = await failure(.failure(TextRecordError(.noAnswer)))
        #expect(dns?.code == .textRecords(TextRecordError(.noAnswer)))
        #expect(dns?.alternatives.map(\.code) == [.notFound])
    }

    @Test(
        "reserved names fail before anything is asked", .covers("R3"),
        arguments: ["alice.test", "handle.invalid", "a.local"])
    func reserved(_ handle: String) async {
        let error = await #expect(throws: IdentityError.self) { try await resolve(handle) }
        #expect(error?.code == .reservedName)
        #expect(transport.requests.isEmpty)
    }

    @Test("a name too long for DNS is asked for over https alone", .covers("R4"))
    func longName() async throws {
        let label = String(repeating: "a", count: 60)
        let handle = "\(label).\(label).\(label).\(label).com"
        transport.answer("https://\(handle)/.well-known/atproto-did", .text(Self.first))
        #expect(try await resolve(handle) == Self.first)
    }

    @Test("the dev network is asked itself, and has the names in test", .covers("R11"))
    func devNetwork() async throws {
        let policy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))
        let url = "http://localhost:2583/xrpc/com.atproto.identity.resolveHandle?handle=alice.test"
        transport.answer(url, .json(["did": .string(Self.first)]))
        #expect(try await resolve("alice.test", policy: policy) == Self.first)
        #expect(transport.urls == [url])
        transport.answer(url, .json(["error": "InvalidRequest"], status: 400))
        var error = await #expect(throws: IdentityError.self) {
            try await resolve("alice.test", policy: policy)
        }
        #expect(error?.code == .notFound)
        transport.answer(url, .text("down", status: 502))
        error = await #expect(throws: IdentityError.self) { try await resolve("alice.test", policy: policy) }
        #expect(error?.code == .status(502))
    }

    @Test(
        "a server that resolves handles proves absence by the name of its error, not by any 400",
        .covers("R85"),
        arguments: [
            (.json(["error": "HandleNotFound"], status: 400), .notFound),
            (.json(["error": "InvalidRequest"], status: 400), .notFound),
            (.json(["error": "NotFound"], status: 404), .notFound), (.text("", status: 410), .notFound),
            // A message with half a character does not hide the name.
            (.text(#"{"error":"HandleNotFound","message":"\ud83d"}"#, status: 400), .notFound),
            (.json(["error": "UpgradeRequired"], status: 400), .status(400)),
            (.text("<h1>Bad Request</h1>", status: 400), .status(400)),
            (.text(String(repeating: "no", count: 10_000), status: 400), .status(400)),
            (.json(["error": "HandleNotFound"], status: 401), .status(401)),
            (.json(["error": "HandleNotFound"], status: 403), .status(403)),
            (.text("", status: 451), .status(451)), (.text("", status: 500), .status(500)),
            (.redirect("https://elsewhere.example.com/"), .redirect), (.text("<html>"), .malformedAnswer),
        ] as [(ScriptedTransport.Answer, IdentityError.Code)])
    func service(_ answer: ScriptedTransport.Answer, _ code: IdentityError.Code) async throws {
        let policy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))
        transport.answer("http://localhost:2583/xrpc/com.atproto.identity.resolveHandle", answer)
        let error = await #expect(throws: IdentityError.self) {
            try await resolve("alice.test", policy: policy)
        }
        #expect(error?.code == code)
        #expect(error?.kind == (code == .notFound ? .doesNotExist : .unavailable))
    }

    @Test("a flaw elsewhere in such an answer hides no DID, and one in the DID is none", .covers("R11"))
    func flawedAnswer() async throws {
        let policy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))
        let url = "http://localhost:2583/xrpc/com.atproto.identity.resolveHandle"
        transport.answer(url, .text(#"{"did":"\#(Self.first)","note":"\ud83d"}"#))
        #expect(try await resolve("alice.test", policy: policy) == Self.first)
        transport.answer(url, .text(#"{"did":"\#(Self.first)\ud83d"}"#))
        await #expect(throws: IdentityError.self) { try await resolve("alice.test", policy: policy) }
    }

    @Test("asks without credentials and for a short time", .covers("R7"))
    func request() async throws {
        transport.answer(Self.wellKnown, .text(Self.first))
        _ = try await resolve()
        let request = try #require(transport.requests.first)
        #expect(request.headerFields[.authorization] == nil)
        #expect(try #require(request.timeouts.total) <= .seconds(10))
    }
}
