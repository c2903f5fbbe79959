import BskyAuthCovers
import BskyAuthEndToEnd
import Foundation
import Testing

@Suite("Signs for the session's own server only", .serialized, .fewAtOnce)
struct TokenTests {
    @Test("another server, another port and another scheme get no proof and no token", .covers("F5"))
    func audience() async throws {
        let sandbox = try Sandbox(["--auto-approve", "--as-port", "0"])
        let home = try Home(sandbox)
        try await home.signIn("alice.test")
        let account = try #require(try await home.listing().first)
        let pds = try #require(account["pds"] as? String)
        let issuer = try #require(account["issuer"] as? String)
        #expect(issuer != pds)
        try await sandbox.resetJournal()
        for url in [
            "https://evil.example/", issuer + "/oauth/token",
            pds.replacingOccurrences(of: "http:", with: "https:"),
            pds.replacingOccurrences(of: "127.0.0.1", with: "localhost"),
        ] {
            for reader in Reader.allCases {
                try await home.expect(
                    Refusal(64, "foreign_audience", says: "is only for \(pds)"),
                    of: ["token", "--dpop", "GET", url], for: reader)
            }
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
    }

    @Test("a request is named by a method and a URL, and nothing else")
    func usage() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]))
        try await home.signIn("alice.test")
        let unnamed = "no request was named"
        for (arguments, words) in [
            ([], unnamed), (["alice.test"], unnamed), (["--dpop", "GET"], unnamed),
            (["--dpop", "GET", "https://a.example/", "alice.test"], unnamed),
            (["--dpop", "G T", "https://a.example/"], unnamed),
            (["--dpop", "GET", "a.example"], "is not an http or https URL"),
        ] {
            for reader in Reader.allCases {
                try await home.expect(
                    Refusal(64, "usage", says: words), of: ["token"] + arguments, for: reader)
            }
        }
    }

    @Test("an app password has no key to sign with")
    func password() async throws {
        let sandbox = try Sandbox(
            accounts: ["alice.test"], ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"])
        let home = try Home(sandbox)
        try await home.succeed(
            "login", "alice.test", "--app-password", input: Data("abcd-efgh-ijkl-mnop\n".utf8))
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(64, "not_bound", says: "app password"),
                of: ["token", "--dpop", "GET", sandbox.address + "/xrpc/com.atproto.server.getSession"],
                for: reader)
        }
    }
}
