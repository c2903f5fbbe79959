import BskyAuthEndToEnd
import Foundation
import Testing

@Suite("Opens no vault without its key", .serialized, .fewAtOnce)
struct VaultKeyTests {
    private static let passphrase = "correct horse, battery"

    /// What is given instead of the key, beside a vault that a passphrase or a key file opens.
    struct Given: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hasPassphrase: Bool
        let environment: [String: String?]
        var arguments: [String] = []
        let refusal: Refusal
    }

    static let givenKeys = [
        Given(
            testDescription: "a wrong passphrase", hasPassphrase: true,
            environment: ["BSKYAUTH_PASSPHRASE": "wrong horse"],
            refusal: Refusal(5, "wrong_passphrase", says: "wrong passphrase for the vault")),
        Given(
            testDescription: "an empty passphrase, which counts as none", hasPassphrase: true,
            environment: ["BSKYAUTH_PASSPHRASE": ""], arguments: ["--no-input"],
            refusal: Refusal(5, "vault_locked", says: "no key was given")),
        Given(
            testDescription: "a passphrase that is an empty line", hasPassphrase: true,
            environment: ["BSKYAUTH_PASSPHRASE": "\n"],
            refusal: Refusal(5, "empty_passphrase", says: "contains no passphrase")),
        Given(
            testDescription: "no passphrase", hasPassphrase: true, environment: ["BSKYAUTH_PASSPHRASE": nil],
            arguments: ["--no-input"], refusal: Refusal(5, "vault_locked", says: "no key was given")),
        Given(
            testDescription: "a passphrase file that is not there", hasPassphrase: true,
            environment: ["BSKYAUTH_PASSPHRASE": nil, "BSKYAUTH_PASSPHRASE_FILE": "/nonexistent/passphrase"],
            refusal: Refusal(5, "passphrase_unreadable", says: "/nonexistent/passphrase")),
        Given(
            testDescription: "an empty passphrase file", hasPassphrase: true,
            environment: ["BSKYAUTH_PASSPHRASE": nil, "BSKYAUTH_PASSPHRASE_FILE": "/dev/null"],
            refusal: Refusal(5, "empty_passphrase", says: "contains no passphrase")),
        Given(
            testDescription: "a passphrase command that fails", hasPassphrase: true,
            environment: ["BSKYAUTH_PASSPHRASE": nil, "BSKYAUTH_PASSPHRASE_COMMAND": "false"],
            refusal: Refusal(5, "passphrase_command", says: "printed no passphrase")),
        Given(
            testDescription: "a passphrase for a vault that has none", hasPassphrase: false,
            environment: ["BSKYAUTH_KEY_FILE": "", "BSKYAUTH_PASSPHRASE": "wrong horse"],
            refusal: Refusal(5, "no_such_slot", says: "no key of this kind")),
        Given(
            testDescription: "a key file that is not there", hasPassphrase: false,
            environment: ["BSKYAUTH_KEY_FILE": "/nonexistent/key"],
            refusal: Refusal(5, "key_file_missing", says: "/nonexistent/key")),
        Given(
            testDescription: "a key file that is none", hasPassphrase: false,
            environment: ["BSKYAUTH_KEY_FILE": "/dev/null"],
            refusal: Refusal(5, "key_file_unusable", says: "/dev/null")),
        Given(
            testDescription: "two keys", hasPassphrase: false,
            environment: ["BSKYAUTH_PASSPHRASE": "wrong horse"],
            refusal: Refusal(64, "usage", says: "only one key")),
    ]

    @Test("refuses, asks no server and changes nothing", arguments: givenKeys)
    func given(given: Given) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(
            sandbox, key: given.hasPassphrase ? ["BSKYAUTH_PASSPHRASE": Self.passphrase] : nil)
        try await home.signIn()
        try await sandbox.resetJournal()
        for reader in Reader.allCases {
            for command in [["call", "com.atproto.server.getSession"], ["login", "alice.test"]] {
                try await home.expect(
                    given.refusal, of: command + given.arguments, for: reader,
                    environment: given.environment, secrets: [Self.passphrase, "wrong horse"])
            }
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
    }

    @Test("refuses the key file of another vault")
    func anotherKeyFile() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let (home, other) = (try Home(sandbox), try Home(sandbox))
        try await home.signIn()
        try await other.signIn("bob.test")
        let key = try #require(other.environment["BSKYAUTH_KEY_FILE"])
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(5, "wrong_key_file", says: "does not open the vault"), of: ["accounts", "list"],
                for: reader, environment: ["BSKYAUTH_KEY_FILE": key])
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: key))
        #expect(bytes.count == 32)
    }

    @Test("makes no vault without a key, and asks no server first")
    func noKeyForANewVault() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, key: [:])
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(5, "no_key", says: "no terminal to ask for a passphrase"),
                of: ["login", "alice.test"],
                for: reader)
        }
        #expect(try home.vaultContent().isEmpty)
        #expect(try await Journal(sandbox).entries.isEmpty)
    }
}
