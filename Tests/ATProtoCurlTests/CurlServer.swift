import ATPNetworking
import BskyAuthTestServer

@testable import ATProtoCurl

extension TestServer {
    static func transport(
        _ policy: NetworkPolicy = policy, environment: [String: String] = [:],
        system: TrustStores.Store = .system
    ) -> PatientTransport {
        PatientTransport(
            CurlTransport(
                policy: policy,
                configuration: CurlConfiguration(
                    userAgent: "tests/1", environment: environment, system: system)))
    }

    /// Runs a test of libcurl with a server that ends with it.
    static func run(
        certificate: TestCertificates? = nil, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await run(certificate: certificate, transport: { transport($0) }, test)
    }
}
