import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// A client whose files are at a static https host, from which the sandbox fetches its document.
    @Suite(
        "A client's document at its host",
        .enabled(if: ClientHost.isPossible && Later.isPossible, "nginx or faketime is not there"))
    struct ClientDocumentTests {
        private let host: ClientHost
        private let home: Home

        init() async throws {
            host = try await ClientHost()
            let sandbox = try Sandbox(
                accounts: ["alice.test"], ["--client-ca", host.authority, "--client-time-limit", "2s"])
            home = try Home(sandbox, ["SSL_CERT_FILE": host.authority])
            try await home.succeed("client", "init", "bot", host.url, "--out", "site")
            try host.publish(home.directory.appending(path: "site"))
        }

        /// The host has a name, and a dev network has only addresses.
        private func check() async throws -> Program.Result {
            try await home.run(
                "client", "check", "bot", "--json", "--allow-private-network", "--http-timeout", "2s",
                environment: ["BSKYAUTH_DEV_NETWORK": ""])
        }

        @Test("is checked, logged in with and used; the log of its host has no code") func wholeSession()
            async throws
        {
            let found = try await check()
            #expect(found.status == 0 && found.json?["ok"] as? Bool == true, "\(found.text) \(found.errors)")
            try await home.succeed("login", "alice.test", "--client", "bot")
            try await home.succeed("call", "com.atproto.server.getSession")
            try await home.succeed("refresh", "--force")
            try await home.succeed("logout", "alice.test")
            let log = try host.log
            #expect(log.contains("/oauth-client-metadata.json") && !log.contains("code="))
        }

        @Test("the check says to copy the files where only that is missing, and how long servers need")
        func notCopied() async throws {
            let found = try await check()
            #expect(found.errors.contains("10 minutes to an hour"), "\(found.errors)")
            try await home.succeed("client", "keys", "bot", "add", "new")
            let missing = try await check()
            #expect(missing.status == 1, "\(missing.errors)")
            #expect(missing.errorLine?.hint?.hasPrefix("copy the files in ") == true, "\(missing.errors)")
        }

        @Test(
            "a fault is told, spends nothing, and is over when the servers have forgotten it",
            arguments: ClientHost.Fault.allCases)
        func fault(_ fault: ClientHost.Fault) async throws {
            try await home.succeed("login", "alice.test", "--client", "bot")
            let other = try await home.succeed(
                "client", "init", "other", "https://o.example.com/", "--out", "o")
            #expect(other.status == 0)
            let document = try String(
                contentsOf: home.directory.appending(path: "o/oauth-client-metadata.json"), encoding: .utf8)
            try host.set(fault, other: document.replacing("https://o.example.com/", with: host.url))
            #expect(try await check().status != 0)
            // The servers forget the document that they have.
            try await home.sandbox.advanceClock("61m")
            try await home.sandbox.resetJournal()
            let anHour = Later.by(seconds: 61 * 60)
            let refused = try await home.run("refresh", "--force", environment: anHour)
            #expect(refused.status == 11, "\(refused.errors)")
            #expect(refused.errors.contains("bskyauth client check"), "\(refused.errors)")
            let paths = try await home.sandbox.journal().compactMap { $0["path"] as? String }
            #expect(paths.contains("/oauth/token"))
            try host.set(nil)
            try await home.sandbox.advanceClock("61m")
            let mended = try await home.run(
                "refresh", "--force", environment: Later.by(seconds: 2 * 61 * 60))
            #expect(mended.status == 0, "\(mended.errors)")
        }
    }
}
