import ATPCryptography
import ATPPlatform
import ATProtoSessions
import ATProtoVault
import BskyAuthTestPrograms
import Foundation
import Testing

/// This program can use the vaults that an older program made.
///
/// `Tests/Fixtures/vaults` has one directory or tar file for each. In it are
/// - `vault`: the vault,
/// - `key` or `passphrase`: what opens it; both if it has a slot for each,
/// - any number of files `*.bundle` that the same keys open.
@Suite("Vaults of older programs") struct OlderVaultTests {
    @Test("there are fixtures")
    func exist() throws {
        #expect(try !OlderVault.names().isEmpty)
    }

    @Test("open with each key, and have no damage", arguments: try OlderVault.names())
    func open(name: String) async throws {
        let older = try await OlderVault(name)
        #expect(!older.keys.isEmpty)
        for key in older.keys {
            let vault = try CredentialVault.open(at: older.home, key: key)
            let check = try vault.check()
            #expect(check.findings.isEmpty && check.outdated.isEmpty && check.leftovers.isEmpty)
            for id in try vault.accounts() {
                for kind in RecordKind.allCases { #expect(try vault.read(kind, of: id).content.count > 0) }
            }
        }
    }

    @Test(
        "rotate each session, and know an attempt that is left from before", arguments: try OlderVault.names()
    )
    func rotate(name: String) async throws {
        let older = try await OlderVault(name)
        let vault = try older.open()
        for id in try vault.accounts() {
            let generation = try vault.read(.session, of: id).generation
            let lock = try await vault.lock(id, timeout: .zero)
            let intent = try vault.intent(of: id, under: lock)
            let permit = try vault.beginRotation(
                of: id, under: lock, tokenFingerprint: intent?.tokenFingerprint ?? "old", reserving: 1024,
                at: Date())
            #expect(permit.intent.attempt == (intent?.attempt ?? 0) + 1)
            let same = try permit.commit(secret("rotated"))
            #expect(try vault.intent(of: id, under: same) == nil)
            _ = consume same
            let session = try older.open().read(.session, of: id)
            #expect(text(session) == "rotated" && session.generation == generation + 1)
        }
        #expect(try vault.check().findings.isEmpty)
    }

    @Test(
        "change their vault key, or finish a change that was interrupted",
        arguments: try OlderVault.names())
    func rekey(name: String) async throws {
        let older = try await OlderVault(name)
        var vault = try older.open()
        let before = try Records(of: vault)
        let active = try vault.active()
        if !vault.isRekeying {
            let plan = try vault.planRekeying(keeping: older.keys, cost: VaultFixture.cost)
            vault = try vault.beginRekeying(plan)
        }
        for id in try vault.accounts() {
            let lock = try await vault.lock(id, timeout: .zero)
            try vault.sealAnew(id, names: ["name of \(id)"], under: lock)
        }
        #expect(try vault.endRekeying().isEmpty)
        for key in older.keys {
            let vault = try CredentialVault.open(at: older.home, key: key)
            #expect(!vault.isRekeying)
            #expect(try vault.check().findings.isEmpty)
            #expect(try Records(of: vault) == before)
            #expect(try vault.active() == active)
            for id in try vault.accounts() { #expect(try vault.find(name: "NAME of \(id)") == [id]) }
        }
    }

    @Test("the bundles open", arguments: try OlderVault.names())
    func bundles(name: String) async throws {
        let older = try await OlderVault(name)
        for path in try older.bundles() {
            let bundle = try SealedBundle(reading: [UInt8](Data(contentsOf: URL(filePath: path))))
            let opens = older.keys.contains { (try? bundle.open(with: $0)) != nil }
            #expect(opens, "\(path)")
        }
    }
}

/// All records of a vault.
private struct Records: Equatable {
    private var contents: [String: [UInt8]] = [:]
    private var generations: [String: UInt64] = [:]

    init(of vault: CredentialVault) throws {
        for id in try vault.accounts() {
            for kind in RecordKind.allCases {
                let record = try vault.read(kind, of: id)
                contents["\(id) \(kind)"] = record.content.bytes
                generations["\(id) \(kind)"] = record.generation
            }
        }
    }
}

/// A copy of one fixture in a temporary directory. Directories have mode 0700 and files 0600.
private final class OlderVault: Sendable {
    private let fixture: VaultFixture
    let keys: [KeySource]
    var home: String { fixture.base + "/vault" }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/vaults").standardizedFileURL

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
            .sorted()
    }

    init(_ name: String) async throws {
        fixture = try VaultFixture()
        let source = Self.folder.appending(path: name).path
        let arguments =
            name.contains(".tar")
            ? ["tar", "-xf", source, "-C", fixture.base] : ["cp", "-R", source + "/.", fixture.base]
        for command in [arguments, ["chmod", "-R", "u=rwX,go=", fixture.base]] {
            let result = try await Program.run(
                "/usr/bin/env", command, environment: Program.inheritedEnvironment)
            try #require(result.status == 0, "\(command): \(result.errors)")
        }
        keys = try Self.keys(in: fixture.base)
    }

    private static func keys(in directory: String) throws -> [KeySource] {
        var keys: [KeySource] = []
        if try FileSystem.exists(directory + "/key") { keys.append(.keyFile(path: directory + "/key")) }
        if try FileSystem.exists(directory + "/passphrase") {
            let text = try String(contentsOfFile: directory + "/passphrase", encoding: .utf8)
            keys.append(.passphrase(secret(text.trimmingCharacters(in: .newlines))))
        }
        return keys
    }

    func open() throws -> CredentialVault {
        try CredentialVault.open(at: home, key: try #require(keys.first))
    }

    func bundles() throws -> [String] {
        try FileSystem.names(in: fixture.base).filter { $0.hasSuffix(".bundle") }.map {
            fixture.base + "/" + $0
        }
    }
}
