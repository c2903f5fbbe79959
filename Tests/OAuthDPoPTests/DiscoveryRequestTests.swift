import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import OAuthDPoP
import Testing

@Suite("Asking for metadata") struct DiscoveryRequestTests {
    private let pds = Origin(scheme: .https, host: "pds.example")
    private let resource: JSONValue = [
        "resource": "https://pds.example", "authorization_servers": ["https://as.example"],
    ]

    private func client(_ transport: ScriptedTransport) -> MetadataClient {
        MetadataClient(transport: transport, profile: .atproto, policy: NetworkPolicy())
    }

    private func code(_ answer: ScriptedTransport.Answer) async -> DiscoveryError.Code? {
        let error = await #expect(throws: DiscoveryError.self) {
            try await client(ScriptedTransport(answer)).protectedResource(at: pds)
        }
        return error?.code
    }

    @Test("asks the well-known places, and leads from one to the other", .covers("R20", "C5")) func chain()
        async throws
    {
        let transport = ScriptedTransport(
            .json(resource), .json(.object(leastMetadata)))
        let client = client(transport)
        let found = try await client.protectedResource(at: pds)
        let server = try await client.authorizationServer(issuer: found.issuer, protecting: found)
        #expect(server.issuer == found.issuer)
        #expect(
            transport.requests.map(\.url.description) == [
                "https://pds.example/.well-known/oauth-protected-resource",
                "https://as.example/.well-known/oauth-authorization-server",
            ])
        for request in transport.requests {
            #expect(request.method == .get)
            #expect(request.timeouts == .metadata)
            #expect(request.headerFields[.accept] == "application/json")
            #expect(request.headerFields.count == 1)
        }
    }

    @Test("takes the recorded documents") func recorded() async throws {
        let transport = try ScriptedTransport(Transcript("001").answer, Transcript("002").answer)
        let client = client(transport)
        let found = try await client.protectedResource(at: Origin(scheme: .https, host: "pds.test"))
        let server = try await client.authorizationServer(issuer: found.issuer, protecting: found)
        #expect(server.protectedResources == ["https://pds.test"])
    }

    @Test("takes 200 and nothing else", .covers("R18", "D6"), arguments: [201, 203, 204, 206, 400, 404, 500])
    func status(status: Int) async {
        #expect(await code(.json(resource, status: status)) == .status(status))
    }

    @Test("follows no redirect", .covers("R18", "D6"), arguments: [301, 302, 303, 307, 308]) func redirect(
        status: Int
    ) async throws {
        let transport = ScriptedTransport(
            .json(resource, status: status, try fields(["Location": "https://pds.example/x"])),
            .json(resource))
        await #expect(throws: DiscoveryError.self) {
            try await client(transport).protectedResource(at: pds)
        }
        #expect(transport.unused == 1)
        #expect(transport.bodies.first?.wasRead == false)
        #expect(transport.bodies.first?.wasCancelled == true)
    }

    @Test("takes JSON with a charset, and no other type", .covers("R18")) func mediaType() async throws {
        func answer(_ type: String) -> ScriptedTransport.Answer { .text(resource.text, type: type) }
        let transport = ScriptedTransport(answer("application/json; charset=utf-8"))
        _ = try await client(transport).protectedResource(at: pds)
        for type in ["text/html", "text/json", "application/jsonp", "application/ld+json"] {
            #expect(await code(answer(type)) == .mediaType)
        }
        #expect(await code(.response(200, [:], Array(resource.text.utf8))) == .mediaType)
    }

    @Test("takes no document that says a thing twice") func repeatedName() async {
        let text = #"{"resource":"https://pds.example","resource":"https://evil.example"}"#
        guard case .malformed(let reason?)? = await code(.text(text, type: "application/json")) else {
            Issue.record("another refusal")
            return
        }
        #expect(reason.reason == .repeatedName)
    }

    @Test("reads no more than 64 KiB") func tooLong() async {
        let text = String(repeating: " ", count: 65_536) + resource.text
        guard case .transport(let error)? = await code(.text(text, type: "application/json")) else {
            Issue.record("another refusal")
            return
        }
        #expect(error.code == .tooLarge(limit: 65_536))
    }

    @Test("asks nobody that the policy forbids") func policy() async {
        let transport = ScriptedTransport()
        let error = await #expect(throws: DiscoveryError.self) {
            try await client(transport).protectedResource(at: Origin(scheme: .http, host: "pds.example"))
        }
        guard case .transport(let reason)? = error?.code else {
            Issue.record("another refusal")
            return
        }
        #expect(reason.code == .refused(.plainHTTP))
        #expect(!reason.requestWasSent)
        #expect(transport.requests.isEmpty)
    }

    @Test("tells a server that is no PDS from one that fails") func absence() async {
        for (status, isAbsent) in [(404, true), (403, false), (410, false), (500, false)] {
            let error = await #expect(throws: DiscoveryError.self) {
                try await client(ScriptedTransport(.text("no", status: status))).protectedResource(at: pds)
            }
            #expect(error?.isAbsentProtectedResource == isAbsent)
        }
        let error = await #expect(throws: DiscoveryError.self) {
            let issuer = try Issuer(
                validating: "https://as.example", profile: .atproto, policy: NetworkPolicy())
            _ = try await client(ScriptedTransport(.text("no", status: 404)))
                .authorizationServer(issuer: issuer, protecting: nil)
        }
        #expect(error?.isAbsentProtectedResource == false)
    }

    @Test("believes no server that disowns the resource", .covers("R22")) func disowned() async throws {
        let found = try ProtectedResourceMetadata(
            json: resource, origin: pds, profile: .atproto, policy: NetworkPolicy())
        for (resources, isFine) in [
            (["https://pds.example"], true), (["https://a.example", "https://pds.example"], true),
            (["https://other.example"], false), ([], false), (["https://pds.example/"], false),
        ] as [([String], Bool)] {
            var json = leastMetadata
            json["protected_resources"] = JSONValue(resources)
            let client = client(ScriptedTransport(.json(.object(json)), .json(.object(json))))
            // Without a resource there is nothing to compare.
            _ = try await client.authorizationServer(issuer: found.issuer, protecting: nil)
            if isFine {
                _ = try await client.authorizationServer(issuer: found.issuer, protecting: found)
            } else {
                let error = await #expect(throws: DiscoveryError.self) {
                    try await client.authorizationServer(issuer: found.issuer, protecting: found)
                }
                #expect(error?.code == .resourceNotProtected("https://pds.example"))
            }
        }
    }
}
