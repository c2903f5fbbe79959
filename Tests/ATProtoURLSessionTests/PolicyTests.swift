import ATPNetworking
import BskyAuthCovers
import BskyAuthTestServer
import HTTPTypes
import Testing

@Suite("URLSessionTransport's policy", .timeLimit(.minutes(10))) struct PolicyTests {
    private func failure(_ transport: PatientTransport, _ url: HTTPURL) async throws -> TransportError {
        try await transportError { _ = try await transport.send(TransportRequest(method: .get, url: url)) }
    }

    @Test("refuses http outside the dev network with nothing sent")
    func plainHTTP() async throws {
        try await TestServer.run { server in
            let error = try await failure(TestServer.transport(NetworkPolicy()), server.url("/echo"))
            #expect(error.code == .refused(.plainHTTP) && !error.requestWasSent)
            #expect(try await server.stats().connections == 1, "the one that asks")
        }
    }

    @Test(
        "refuses private addresses in the URL before anything is connected",
        .covers("R7"), arguments: ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"])
    func privateAddress(host: String) async throws {
        let url = try HTTPURL(validating: "https://\(host)/")
        let error = try await failure(TestServer.transport(NetworkPolicy()), url)
        #expect(error.code == .refused(.privateAddress) && !error.requestWasSent)
    }

    @Test("refuses a server whose authority it does not know, with no request sent")
    func wrongAuthority() async throws {
        try await TestCertificates.run { certificates in
            try await TestServer.run(certificate: certificates) { server in
                let error = try await failure(server.transport, try server.secure("/echo"))
                #expect(error.code == .untrusted)
                #expect(try await server.stats().requests == 0)
            }
        }
    }
}
