import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import BskyAuthTestSupport
import HTTPTypes
import Testing

@testable import BskyAuthCore

@Suite("AnonymousXRPCClient") struct AnonymousXRPCClientTests {
    private let server = Origin(scheme: .https, host: "api.example.com")
    private let transport = ScriptedTransport()
    private let nsid: NSID

    init() throws { nsid = try NSID(validating: "a.b.get") }

    private func call(_ request: XRPCRequest) async throws {
        _ = try await AnonymousXRPCClient(transport: transport, server: server).call(request)
    }

    @Test("sends what it was told and nothing else: no credentials, no proof", .covers("B1", "F4"))
    func fields() async throws {
        let urls = ["https://api.example.com/xrpc/a.b.get?q=x", "https://api.example.com/xrpc/a.b.get"]
        for url in urls { transport.answer(url, .json([:])) }
        try await call(XRPCRequest(.query, nsid, parameters: ["q": "x"]))
        try await call(XRPCRequest(.query, nsid, headerFields: [.acceptLanguage: "de"]))
        #expect(transport.requests.map(\.url.description) == urls)
        #expect(transport.requests.map(\.headerFields) == [[:], [.acceptLanguage: "de"]])
    }

    @Test("reports a refusal with its server and what the server said, and asks once")
    func refused() async throws {
        transport.answer(
            "https://api.example.com/xrpc/a.b.get", .json(["error": "AuthMissing"], status: 401))
        await #expect {
            try await call(XRPCRequest(.query, nsid))
        } throws: { error in
            guard case CoreError.callRefused(let refusal) = error,
                case .anonymous(server) = refusal.sender
            else { return false }
            return refusal.error.name == "AuthMissing" && refusal.error.status == 401
                && refusal.nsid == nsid
        }
        #expect(transport.requests.count == 1)
    }
}
