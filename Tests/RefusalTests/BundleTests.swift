import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Refuses bundles that are not what they should be", .serialized, .fewAtOnce)
struct BundleTests {
    private let sandbox: Sandbox
    private let home: Home
    private let other: Home
    private let bundle: String
    private let key: String

    init() async throws {
        sandbox = try Sandbox(["--auto-approve"])
        home = try Home(sandbox)
        other = try Home(sandbox)
        bundle = home.directory.appending(path: "bundle").path
        key = try home.recipientKey()
        try await home.signIn("alice.test")
        try await home.succeed(
            "accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key, "--copy")
        try await sandbox.resetJournal()
    }

    private func expect(
        _ refusal: Refusal, of arguments: [String], in home: Home,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for reader in Reader.allCases {
            try await home.expect(refusal, of: arguments, for: reader, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "a wrong key, a damaged bundle and one of a later version are three things, and none makes a vault",
        .covers("F6"))
    func doesNotOpen() async throws {
        let wrong = try home.recipientKey("wrong.key")
        let passphrase = home.directory.appending(path: "passphrase").path
        try Data("x\n".utf8).write(to: URL(filePath: passphrase))
        let text = try String(contentsOfFile: bundle, encoding: .utf8)
        let (damaged, newer) = (bundle + "-damaged", bundle + "-newer")
        try String(text.dropLast(9)).write(toFile: damaged, atomically: true, encoding: .utf8)
        try text.replacingOccurrences(of: "\"format\":1", with: "\"format\":2")
            .write(toFile: newer, atomically: true, encoding: .utf8)
        let cases: [(Refusal, [String])] = [
            (Refusal(5, "wrong_key_file", says: "another key"), [bundle, "--recipient-key", wrong]),
            (Refusal(5, "no_such_slot", says: "key file"), [bundle, "--bundle-passphrase-file", passphrase]),
            (
                Refusal(5, "key_file_missing", says: "does not exist"),
                [bundle, "--recipient-key", "no"]
            ),
            (Refusal(7, "bundle_damaged", says: "damaged"), [damaged, "--recipient-key", key]),
            (Refusal(7, "newer_format", says: "format 2"), [newer, "--recipient-key", key]),
            (Refusal(1, "bundle_unreadable", says: "can't be read"), ["nowhere", "--recipient-key", key]),
            (Refusal(64, "usage", says: "a bundle needs a key"), [bundle]),
            (
                Refusal(64, "usage", says: "not both"),
                [bundle, "--recipient-key", key, "--bundle-passphrase-file", passphrase]
            ),
        ]
        for (refusal, arguments) in cases {
            try await expect(refusal, of: ["accounts", "import"] + arguments, in: other)
        }
        #expect(try other.vaultContent().isEmpty)
        #expect(try await Journal(sandbox).entries.isEmpty)
    }

    @Test("an account that is there already is not replaced, and neither is a file")
    func taken() async throws {
        let imported = ["accounts", "import", bundle, "--recipient-key", key]
        try await expect(
            Refusal(64, "already_imported", says: "in the vault already"), of: imported, in: home)
        let before = try Data(contentsOf: URL(filePath: bundle))
        try await expect(
            Refusal(64, "bundle_exists", says: "was not overwritten"),
            of: ["accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key], in: home)
        #expect(try Data(contentsOf: URL(filePath: bundle)) == before)
        try await expect(
            Refusal(6, "unknown_account", says: "carol"),
            of: ["accounts", "export", "carol.test", "--to", bundle + "2", "--recipient-key", key], in: home)
    }

    @Test("keeps an account of the dev network from the real one")
    func wrongNetwork() async throws {
        for reader in Reader.allCases {
            try await other.expect(
                Refusal(64, "wrong_network", says: "BSKYAUTH_DEV_NETWORK is not set"),
                of: ["accounts", "import", bundle, "--recipient-key", key], for: reader,
                environment: ["BSKYAUTH_DEV_NETWORK": ""])
        }
    }
}
