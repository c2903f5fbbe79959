import ATPNetworking
import ATProtoURLSession
import BskyAuthTestServer

extension TestServer {
    static func transport(_ policy: NetworkPolicy = policy) -> PatientTransport {
        PatientTransport(URLSessionTransport(policy: policy, userAgent: "tests/1"))
    }

    /// Runs a test of URLSession with a server that ends with it.
    static func run(
        certificate: TestCertificates? = nil, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await run(certificate: certificate, transport: { transport($0) }, test)
    }
}
