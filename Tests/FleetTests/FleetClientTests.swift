import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// A client of the user's own, whose key every machine of a fleet needs.
@Suite("A fleet with a client of its own", .serialized, .timeLimit(.minutes(5))) struct FleetClientTests {
    private func publish(_ home: Home) async throws {
        let file = home.directory.appending(path: "site/oauth-client-metadata.json")
        _ = try await home.sandbox.post("/_sandbox/clients", String(contentsOf: file, encoding: .utf8))
    }

    private func logIn(_ home: Home) async throws {
        try await home.succeed("login", "alice.test", "--client", "bot", "--label", "bot")
    }

    @Test("has the client and its keys on each machine, also those that come later") func keys() async throws
    {
        let fleet = try await Fleet(hasForms: true)
        let second = try await fleet.machine("second")
        let first = fleet.first
        try await first.succeed("client", "init", "bot", "https://bot.example.com/", "--out", "site")
        try await publish(first)
        try await logIn(first)
        // The machine does not know the account yet, and gets its key with it.
        try await second.succeed("refresh", "--force", "bot")
        try await first.succeed("client", "keys", "bot", "add", "next")
        try await first.succeed("client", "write", "bot", "--ignore-published")
        try await publish(first)
        try await logIn(first)
        // The new session is bound to the new key.
        let adopted = try await second.succeed("refresh", "--force", "bot")
        #expect(adopted.errors.contains("adopted"), "\(adopted.errors)")
        try await second.succeed("refresh", "--force", "bot")
        let keys = try await second.succeed("client", "keys", "bot", "--json").text
        #expect(keys.contains("\"next\""), "\(keys)")
        try await second.succeed("vault", "unshare", "--yes")
        try await second.succeed("refresh", "--force", "bot")
        #expect(try await !fleet.sandbox.requests().contains { $0.isRefresh && $0.sessionEnded })
    }
}
