import CurlTransport
import HTTPTypes
import Logging
import Networking
import Testing

@testable import BskyAuthCLI

/// What starts without the parts of OpenSSL that TLS needs must not come to TLS.
@Suite("Commands that ask no server") struct ServerlessCommandTests {
    @Test(
        "are those that say so",
        arguments: [
            ("switch -", false), ("accounts", false), ("accounts list --json", false),
            ("accounts current", false), ("accounts --check", true), ("call a.b.c", true), ("refresh", true),
        ])
    func said(line: String, asksServers: Bool) throws {
        let command = try NamedCommand.parse(line.split(separator: " ").map(String.init))
        #expect(command.asksServers == asksServers)
    }

    @Test("are kept from every server, and nothing is sent") func kept() async throws {
        let network = LiveNetwork(
            policy: NetworkPolicy(), configuration: CurlConfiguration(userAgent: "test", environment: [:]),
            log: Logger(label: "test"), timeout: nil, isOpen: false)
        let url = try HTTPURL(validating: "https://pds.example/xrpc/a.b.c")
        let error = await #expect(throws: TransportError.self) {
            _ = try await network.transport(network.policy).send(TransportRequest(method: .get, url: url))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.requestWasSent == false)
    }
}
