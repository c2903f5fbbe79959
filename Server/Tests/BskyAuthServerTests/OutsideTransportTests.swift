import ATPNetworking
import HTTPTypes
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct OutsideTransportTests {
    @Test(
        "a handle that leads to this server gets no request",
        arguments: [
            ("https://auth.example.com/.well-known/oauth-protected-resource", true),
            ("https://auth.example.com:443/x?y", true), ("https://auth.example.com:8443/x", false),
            ("https://example.com/x", false),
        ])
    func ownAddress(_ url: String, _ isOwn: Bool) async throws {
        let network = Network()
        let own = try HTTPURL(validating: "https://auth.example.com").origin
        let transport = OutsideTransport(transport: network, own: own)
        let request = TransportRequest(method: .get, url: try HTTPURL(validating: url))
        if isOwn {
            let error = await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
            #expect(error?.requestWasSent == false)
        } else {
            #expect(try await transport.send(request).status == 204)
        }
        #expect(network.requests.withLock(\.self) == (isOwn ? 0 : 1))
    }
}

/// A network in which every request is answered.
private final class Network: HTTPTransport {
    let requests = Mutex(0)

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        requests.withLock { $0 += 1 }
        return TransportResponse(status: 204, headerFields: [:], body: ResponseBody([]))
    }
}
