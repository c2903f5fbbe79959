import BskyAuthTestPrograms
package import Foundation
import FoundationNetworking

/// A sandbox network in a process of its own, ended with the last reference to it.
package final class Sandbox: Sendable {
    package let address: String
    private let server: Program.Server

    /// Starts one that plays the server of this run, and waits until it listens.
    package init(accounts: [String] = ["alice.test", "bob.test"], _ options: [String] = []) throws {
        guard FileManager.default.isExecutableFile(atPath: Paths.sandbox) else { throw SandboxIsNotBuilt() }
        server = try Program.Server(
            Paths.sandbox,
            ["serve", "--profile", ServerProfile.current.rawValue]
                + accounts.flatMap { ["--account", $0] } + options,
            environment: ["PATH": "/usr/bin:/bin"])
        guard let address = server.announcement.split(separator: "=").last else { throw SandboxDidNotStart() }
        self.address = String(address)
    }

    package struct SandboxDidNotStart: Error {}

    package struct SandboxIsNotBuilt: Error, CustomStringConvertible {
        package let description =
            "\(Paths.sandbox) is not there: swift build --package-path Sandbox --scratch-path .build, or set BSKYAUTH_TEST_SANDBOX"
    }

    /// One line of the journal.
    package typealias Entry = [String: Any]

    /// Every request since the last reset, in order.
    package func journal() async throws -> [Entry] {
        let text = String(decoding: try await get("/_sandbox/journal"), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            guard let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Entry else {
                throw SandboxDidNotStart()
            }
            return entry
        }
    }

    package func resetJournal() async throws {
        try await post("/_sandbox/journal/reset", "")
    }

    /// Replaces the faults by these, as JSON text.
    package func setFaults(_ json: String) async throws {
        try await post("/_sandbox/faults", json)
    }

    /// Moves the sandbox's clock, as `13d`.
    package func advanceClock(_ length: String) async throws {
        try await post("/_sandbox/clock", #"{"advance":"\#(length)"}"#)
    }

    /// Ends every session of an account at the server.
    package func endSessions(of did: String) async throws {
        try await post("/_sandbox/sessions/end", #"{"did":"\#(did)"}"#)
    }

    /// Deactivates an account, or activates it again.
    package func setActive(_ isActive: Bool, _ handle: String) async throws {
        try await post("/_sandbox/accounts/update", #"{"handle":"\#(handle)","active":\#(isActive)}"#)
    }

    package func get(_ path: String) async throws -> Data {
        guard let url = URL(string: address + path) else { throw URLError(.badURL) }
        return try await URLSession.shared.data(from: url).0
    }

    @discardableResult
    package func post(_ path: String, _ body: String) async throws -> Data {
        guard let url = URL(string: address + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        return data
    }
}
