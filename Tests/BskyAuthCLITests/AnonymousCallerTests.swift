import ATProto
import Covers
import HTTPTypes
import Networking
import Synchronization
import Testing

@testable import BskyAuthCLI

@Suite("AnonymousCaller") struct AnonymousCallerTests {
    /// Answers everything alike and keeps what it was asked.
    private final class Recorder: HTTPTransport {
        let status: Int
        let requests = Mutex<[TransportRequest]>([])

        init(_ status: Int) { self.status = status }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            requests.withLock { $0.append(request) }
            return TransportResponse(
                status: status, headerFields: [.contentType: "application/json"],
                body: ResponseBody(CollectedBody(Array(#"{"error":"AuthMissing"}"#.utf8))))
        }
    }

    private let server = Origin(scheme: .https, host: "api.example.com")

    @Test("sends what it was told and nothing else: no credentials, no proof", .covers("B1", "F4"))
    func fields() async throws {
        let transport = Recorder(200)
        let caller = AnonymousCaller(transport: transport, server: server)
        let nsid = try NSID(validating: "a.b.get")
        _ = try await caller.call(XRPCRequest(.query, nsid, parameters: ["q": "x"]))
        _ = try await caller.call(XRPCRequest(.query, nsid, headerFields: [.acceptLanguage: "de"]))
        let requests = transport.requests.withLock(\.self)
        #expect(
            requests.map(\.url.description) == [
                "https://api.example.com/xrpc/a.b.get?q=x", "https://api.example.com/xrpc/a.b.get",
            ])
        #expect(requests.map(\.headerFields) == [[:], [.acceptLanguage: "de"]])
    }

    @Test("a method that wants an account says so, and is asked once")
    func refused() async throws {
        let transport = Recorder(401)
        let caller = AnonymousCaller(transport: transport, server: server)
        let request = XRPCRequest(.query, try NSID(validating: "a.b.get"))
        let failure = await #expect(throws: Failure.self) { try await caller.call(request) }
        #expect(failure?.status == .refused && failure?.serverError == "AuthMissing" && failure?.http == 401)
        #expect(
            failure?.hint == "this method needs an account: leave out --anonymous" && failure?.account == nil)
        #expect(transport.requests.withLock(\.count) == 1)
    }
}
