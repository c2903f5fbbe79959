import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Never falls back to another account", .serialized, .fewAtOnce)
struct AccountTests {
    @Test("says that there is no vault yet")
    func noVault() async throws {
        let home = try Home(try Sandbox())
        for reader in Reader.allCases {
            for command in [
                ["call", "a.b.c"], ["refresh"], ["switch", "x"], ["logout"], ["accounts", "current"],
            ] {
                try await home.expect(
                    Refusal(4, "no_vault", says: "there is no vault in"), of: command, for: reader)
            }
        }
        #expect(try home.vaultContent().isEmpty)
    }

    @Test("says that there is no such account, and which there are", .covers("K2"))
    func unknownAccount() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn("alice.test")
        try await sandbox.resetJournal()
        let commands = [
            ["call", "com.atproto.server.getSession", "-a", "carol.test"], ["refresh", "carol.test"],
            ["switch", "carol.test"], ["logout", "carol.test"], ["accounts", "show", "carol.test"],
            ["logout", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"], ["logout", UUID().uuidString],
        ]
        for reader in Reader.allCases {
            for command in commands {
                try await home.expect(
                    Refusal(6, "unknown_account", says: "alice.test"), of: command, for: reader)
            }
            try await home.expect(
                Refusal(6, "unknown_account", says: "carol"), of: ["call", "a.b.getC"], for: reader,
                environment: ["BSKYAUTH_ACCOUNT": "carol\u{1b}[31m"])
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
    }

    @Test("says that a handle with two sessions is ambiguous")
    func ambiguousAccount() async throws {
        let home = try Home(try Sandbox(["--auto-approve"]))
        try await home.signIn("alice.test", "--label", "work")
        try await home.signIn("alice.test", "--label", "ci")
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(6, "ambiguous_account", says: "has 2 sessions"), of: ["logout", "alice.test"],
                for: reader)
        }
    }

    @Test("keeps the accounts of one dev network from another")
    func otherDevNetwork() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let other = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn("alice.test")
        let words =
            "belongs to the dev network at \(sandbox.address), but BSKYAUTH_DEV_NETWORK is \(other.address)"
        let environment = ["BSKYAUTH_DEV_NETWORK": other.address]
        try await sandbox.resetJournal()
        for reader in Reader.allCases {
            for command in [
                ["call", "com.atproto.server.getSession"],
                ["token", "--dpop", "GET", "\(sandbox.address)/xrpc/com.atproto.server.getSession"],
            ] {
                try await home.expect(
                    Refusal(64, "wrong_network", says: words), of: command, for: reader,
                    environment: environment)
            }
            for command in [["refresh", "--force"], ["logout", "alice.test"]] {
                try await home.expect(
                    Refusal(64, "wrong_network", says: words), of: command, for: reader,
                    givesResults: true, environment: environment)
            }
        }
        for command in [["accounts", "--check"], ["doctor"]] {
            let result = try await home.attempt(command, environment: environment)
            #expect(result.status == 64 && (result.text + result.errors).contains(words), "\(command)")
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
        try await home.succeed("call", "com.atproto.server.getSession")
    }

    @Test("keeps dev accounts from the real network")
    func devAccountWithoutSwitch() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn("alice.test")
        try await sandbox.resetJournal()
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(64, "wrong_network", says: "BSKYAUTH_DEV_NETWORK is not set"),
                of: ["call", "com.atproto.server.getSession"], for: reader,
                environment: ["BSKYAUTH_DEV_NETWORK": ""])
            for command in [["refresh", "--force"], ["logout", "alice.test"]] {
                try await home.expect(
                    Refusal(64, "wrong_network", says: "BSKYAUTH_DEV_NETWORK is not set"), of: command,
                    for: reader, givesResults: true, environment: ["BSKYAUTH_DEV_NETWORK": ""])
            }
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
    }
}
