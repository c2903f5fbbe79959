import ArgumentParser
import HTTPTypes
import Networking
import Testing

@testable import BskyAuthCLI

/// Commands that ask no server get no connection.
@Suite("Commands that ask no server") struct ServerlessCommandTests {
    @Test(
        "are those that say so",
        arguments: [
            ("switch -", false), ("accounts", false), ("accounts list --json", false),
            ("accounts current", false), ("accounts show a", false), ("vault verify", false), ("help", false),
            ("accounts --check", true), ("accounts import a", true), ("call a.b.c", true), ("refresh", true),
        ])
    func said(line: String, asksServers: Bool) throws {
        let command = try NamedCommand.parse(line.split(separator: " ").map(String.init))
        #expect(command.asksServers == asksServers)
    }

    @Test("are kept from every server, and nothing is sent") func kept() async throws {
        let context = try LiveContext.make(GlobalOptions.parse([]), asksServers: false)
        let network = try context.makeNetwork()
        let url = try HTTPURL(validating: "https://pds.example/xrpc/a.b.c")
        let error = await #expect(throws: TransportError.self) {
            try await network.transport(network.policy).send(TransportRequest(method: .get, url: url))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.requestWasSent == false)
    }
}
