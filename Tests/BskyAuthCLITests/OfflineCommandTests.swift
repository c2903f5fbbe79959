import ATPCryptography
import ATProtoSessions
import ATProtoVault
import ArgumentParser
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import OAuthDPoP
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("Commands that ask no server", .fewAtOnce, OfflineVault()) struct OfflineCommandTests {
    /// What each offline command is given. A new command has to be added here.
    private static let arguments: [String: [String]] = [
        "accounts current": [], "whoami": [], "accounts show": ["work"],
        "accounts rename": ["work", "other"],
        "accounts pin": ["work"], "accounts unpin": [], "switch": ["work"],
        "vault status": [], "vault unlock": ["--ttl", "1s"], "vault lock": [],
        "vault passwd": ["--new-passphrase-file", "passphrase"],
        "vault add-key": ["--new-key-file", "second-key"], "vault remove-key": ["passphrase"],
        "vault rekey": ["--yes"], "vault verify": [], "vault restore": [],
        "vault remember": [], "vault forget": [],
        "client init": ["other", "https://other.example.com/", "--public"], "client list": [],
        "client keys": ["ours"], "client remove": ["ours", "--force"],
        "client join": ["https://app.example.com/"], "completion": ["bash"],
        "help": ["switch"], "scopes explain": ["repo:com.example.thing"],
        "scopes needed": ["app.bsky.feed.getTimeline"], "scopes sets": [],
    ]

    /// What asks the store of a shared vault, and no server. FleetTests runs these.
    private static let withStore: Set<String> = [
        "vault share", "vault join", "vault machines list", "vault machines forget", "vault unshare",
    ]

    /// Modes of online commands that ask no server either.
    private static let modes = [
        ["accounts"], ["accounts", "list", "--json"], ["switch", "-"], ["logout", "work", "--local-only"],
        ["accounts", "export", "work", "--to", "bundle", "--recipient-key", "key"],
        ["call", "-a", "work", "app.bsky.feed.getTimeline", "limit:=1", "--dry-run"],
    ]

    private static let importLine = ["accounts", "import", "imported", "--recipient-key", "key"]

    /// The words of every command of a kind below one.
    private static func words(
        of kind: (any ParsableCommand.Type) -> Bool, below command: any ParsableCommand.Type = BskyAuth.self
    ) -> [String] {
        command.configuration.subcommands.flatMap { subcommand -> [String] in
            let name = subcommand.configuration.commandName ?? ""
            let below = words(of: kind, below: subcommand).map { "\(name) \($0)" }
            return kind(subcommand) ? [name] + below : below
        }
    }

    private static var lines: [[String]] {
        arguments.map { $0.key.split(separator: " ").map(String.init) + $0.value } + modes
    }

    private let home: OfflineHome

    init() throws { home = try OfflineHome() }

    @Test("are all run by these tests") func complete() {
        let commands = Set(Self.words { $0 is any OfflineCommand.Type })
        // Help asks servers about nothing but the lexicons of others.
        #expect(commands.union(["help"]) == Set(Self.arguments.keys).union(Self.withStore))
        #expect(!Self.words { $0 is any OnlineCommand.Type }.isEmpty)
    }

    @Test("are not changed by broken network settings", arguments: lines)
    func brokenSettings(line: [String]) async throws {
        try await expectSame(line, without: NetworkSettings.Variable.allCases)
    }

    @Test("an import reads the dev network, which its account has to belong to, and no other network setting")
    func importing() async throws {
        let unused = NetworkSettings.Variable.allCases.filter { $0 != .devNetwork }
        try await expectSame(Self.importLine, without: unused)
        let refused = try await home.run(
            Self.importLine, environment: [NetworkSettings.Variable.devNetwork.rawValue: "\u{1}garbage"])
        #expect(refused.status == ExitStatus.usage.rawValue, "\(refused.errors)")
    }

    /// Runs a command twice, the second time with garbage in these variables.
    private func expectSame(_ line: [String], without variables: [NetworkSettings.Variable]) async throws {
        let broken = Dictionary(uniqueKeysWithValues: variables.map { ($0.rawValue, "\u{1}garbage") })
        try await withHome(for: line) { home in
            let usual = try await home.run(line)
            #expect(usual.status == 0, "\(usual.errors)")
            #expect(try await home.run(line, environment: broken) == usual)
        }
    }

    /// Gives a command its home. One that unlocks its vault has a vault that no other test uses, because the kernel keeps the key for
    /// the UUID of the vault, and all copies of a vault have the same.
    private func withHome(
        for line: [String], _ body: @Sendable (OfflineHome) async throws -> Void
    ) async throws {
        guard line.starts(with: ["vault", "unlock"]) else { return try await body(home) }
        try await OfflineVault.withNew { try await body(OfflineHome()) }
    }

    @Test(
        "run without a network",
        .enabled(if: geteuid() == 0, "a network namespace takes root"), arguments: lines + [importLine])
    func noNetwork(line: [String]) async throws {
        try await withHome(for: line) { home in
            let usual = try await home.run(line)
            #expect(try await home.run(line, with: ["/usr/bin/unshare", "-n"]) == usual)
        }
    }

    @Test("and the settings are checked where a server is asked") func online() async throws {
        let others: [NetworkSettings.Variable] = [.allowPrivateNetwork, .lexicons]
        for variable in NetworkSettings.Variable.allCases where !others.contains(variable) {
            let result = try await home.run(
                ["refresh", "work"], environment: [variable.rawValue: "\u{1}garbage"])
            #expect(result.status == ExitStatus.usage.rawValue, "\(variable) \(result.errors)")
        }
    }
}

/// A vault with two accounts, which is made once for all tests: a key slot with a passphrase takes its time.
private struct OfflineVault: SuiteTrait, TestScoping {
    /// The directory of the vault, of its key file and of a bundle.
    @TaskLocal static var directory: URL?

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.withNew(function)
    }

    static func withNew(_ body: @Sendable () async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "bskyauth-offline-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await make(in: directory)
        try await $directory.withValue(directory) { try await body() }
    }

    private static func make(in directory: URL) async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let key = directory.path + "/key"
        let vault = try CredentialVault.create(at: directory.path + "/original", key: .keyFile(path: key))
        _ = try await vault.addKey(.passphrase(SecretBytes(Array("correct horse".utf8))), named: nil)
        let accounts = VaultAccounts(
            vault, log: Console(isQuiet: true, isVerbose: false, usesJSON: false).log)
        for label in ["work", "home"] {
            let account = try Sample.account(label: label)
            #expect(try await accounts.addNew(account, Sample.session()) == nil)
            try accounts.activate(account.id)
        }
        try await ClientStore(vault).add(
            HostedClient(
                name: "ours", kind: .native, base: "https://ours.example.com/", displayName: "ours",
                scope: Scope("atproto"), isPublished: true))
        let imported = try Sample.account(label: "imported")
        let account = PortableAccount(
            id: imported.id, profile: imported.record, session: try Sample.session().record, generation: 1)
        try SealedBundle(sealing: account, for: .keyFile(path: key)).write(to: directory.path + "/imported")
    }
}

/// A copy of that vault which is the same before each command.
private final class OfflineHome: Sendable {
    struct Outcome: Equatable, Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "bskyauth-offline-\(UUID().uuidString)")
    private var vault: URL { directory.appending(path: "vault") }
    private var original: URL { directory.appending(path: "original") }

    init() throws {
        let made = try #require(OfflineVault.directory)
        try FileManager.default.copyItem(at: made, to: directory)
        let passphrase = directory.appending(path: "passphrase")
        try Data("correct horse\n".utf8).write(to: passphrase)
        // A stand-in for the desktop's keyring, which gives back what it stored.
        let tool = directory.appending(path: "secret-tool")
        let script =
            "#!/bin/sh\ncase $1 in store) cat >'\(tool.path).kept';; lookup) cat '\(tool.path).kept';; esac\n"
        try Data(script.utf8).write(to: tool)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func run(
        _ line: [String], environment: [String: String] = [:], with runner: [String] = []
    ) async throws -> Outcome {
        for name in ["vault", "second-key", "bundle", PinFile.name] {
            let file = directory.appending(path: name)
            if FileManager.default.fileExists(atPath: file.path) {
                try FileManager.default.removeItem(at: file)
            }
        }
        try FileManager.default.copyItem(at: original, to: vault)
        let usual = [
            "PATH": "\(directory.path):/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none",
            "HOME": directory.path, "BSKYAUTH_HOME": vault.path,
            "XDG_CACHE_HOME": directory.appending(path: "cache").path,
            "BSKYAUTH_KEY_FILE": directory.appending(path: "key").path, "BSKYAUTH_NO_INPUT": "1",
        ]
        let words = runner + [Paths.program] + line
        let result = try await Program.run(
            words[0], Array(words.dropFirst()), environment: usual.merging(environment) { $1 },
            directory: directory)
        return Outcome(
            status: result.status, output: Self.steady(result.text), errors: Self.steady(result.errors))
    }

    /// The text without what differs from one run to the next: times of day, how far away they are, and new keys.
    private static func steady(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME").replacing(/in \d+ [a-z]+/, with: "in TIME")
            .replacing(/"[A-Za-z0-9_-]{43}"/, with: "KEY")
    }
}
