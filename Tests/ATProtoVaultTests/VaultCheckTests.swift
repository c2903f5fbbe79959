import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Check of a vault") struct VaultCheckTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault
    private let id: UUID
    private let other: UUID

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.create()
        id = try VaultFixture.add(to: vault, names: ["alice"])
        other = try VaultFixture.add(to: vault, names: ["bob"])
    }

    private func begin() async throws -> ReservedRotation {
        let lock = try await vault.lock(id, timeout: .zero)
        return try vault.beginRotation(
            of: id, under: lock, tokenFingerprint: "old", reserving: 4096, at: Date())
    }

    @Test(
        "the other directories are checked too", arguments: ["names", "locks", "workshop"])
    func directories(name: String) throws {
        let directory = fixture.home + "/" + name
        Disk.setMode(directory, 0o755)
        #expect(try vault.check().findings.map(\.error) == [.unsafePermissions(path: directory, mode: 0o755)])
        let aside = fixture.base + "/aside"
        Disk.setMode(directory, 0o700)
        try FileSystem.rename(directory, to: aside)
        Disk.link(directory, to: aside)
        #expect(try vault.check().findings.map(\.error) == [.symlink(path: directory)])
    }

    @Test("an undamaged vault has no findings, and a check changes no file")
    func whole() throws {
        try vault.setActive(id)
        let before = try fixture.contents()
        let check = try vault.check()
        #expect(check.findings.isEmpty && check.outdated.isEmpty)
        // The header and its copy, the active pointer, two names, and two records with copies for each account.
        #expect(check.goodFiles == 13)
        #expect(try fixture.contents() == before)
    }

    @Test("every damaged file is reported, and no other", .covers("C12"))
    func everyFile() async throws {
        try vault.setActive(id)
        try await begin().leaveUncertain()
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.noteMirror(of: 1, of: id, under: lock)
        _ = consume lock
        let before = try fixture.contents()
        let files = before.keys.filter { !$0.contains("/locks/") && !$0.hasSuffix("/vault.json") }
        #expect(files.count == 14)
        for file in files {
            try fixture.damage(file)
            #expect(try vault.check().findings.map(\.file) == [file])
            try fixture.write(before[file] ?? [], file)
        }
        for file in files { try fixture.damage(file) }
        #expect(try Set(vault.check().findings.map(\.file)) == Set(files))
    }

    @Test("missing files and unsafe permissions are reported")
    func otherFindings() throws {
        try FileSystem.remove(fixture.file(.profile, id))
        Disk.setMode(fixture.file(.session, id), 0o644)
        Disk.setMode(fixture.directory(other), 0o755)
        let findings = try vault.check().findings
        #expect(
            Set(findings.map(\.file)) == [
                fixture.file(.profile, id), fixture.file(.session, id), fixture.directory(other),
            ])
        #expect(Set(findings.compactMap(\.account)) == [id, other])
    }

    @Test("a missing second copy is no damage")
    func missingCopy() throws {
        let copy = fixture.file(.session, id) + ".copy"
        try FileSystem.remove(copy)
        let check = try vault.check()
        #expect(check.findings.isEmpty && check.outdated == [copy])
    }

    @Test("what is left of an account is reported and removed, but not while another process may use it")
    func leftovers() throws {
        let workshop = fixture.home + "/workshop"
        let left = workshop + "/gone-" + FileSystem.name(of: fixture.directory(id))
        try FileSystem.rename(fixture.directory(id), to: left)
        let lock = try vault.lockAccounts()
        #expect(try vault.check().leftovers.isEmpty)
        _ = consume lock
        let before = try fixture.contents()
        let check = try vault.check()
        #expect(check.leftovers == [left] && check.findings.isEmpty)
        #expect(try CredentialVault.leftovers(at: fixture.home) == [left])
        #expect(try fixture.contents() == before)
        let done = try vault.discardLeftovers()
        #expect(done.map(\.summary) == [FileSystem.name(of: left) + " removed"])
        #expect(try FileSystem.names(in: workshop).isEmpty)
        #expect(try vault.check().leftovers.isEmpty)
        #expect(try vault.discardLeftovers().isEmpty)

        try FileSystem.removeTree(workshop)
        Disk.link(workshop, to: fixture.base)
        #expect(try vault.discardLeftovers().map(\.summary) == ["workshop left"])
        #expect(try vault.check().leftovers.isEmpty)
    }

    @Test("temporary files of the index are reported and removed, but no other file there")
    func temporaryNames() throws {
        let left = fixture.home + "/names/.bskyauth-tmp-0123-456"
        let other = fixture.home + "/names/note"
        for file in [left, other] { try fixture.write([1], file) }
        let lock = try vault.lockAccounts()
        #expect(try vault.check().leftovers.isEmpty)
        _ = consume lock
        #expect(try vault.check().leftovers == [left])
        #expect(try CredentialVault.leftovers(at: fixture.home) == [left])
        #expect(try vault.discardLeftovers().map(\.file) == [left])
        #expect(try vault.check().leftovers.isEmpty)
        #expect(try !FileSystem.exists(left) && FileSystem.exists(other))
    }

    @Test("a vault is described without its key")
    func summary() throws {
        let summary = try CredentialVault.summary(at: fixture.home)
        #expect(summary.id == vault.id && summary.format == 1 && summary.accounts == 2)
        #expect(summary.slots.map(\.name) == ["passphrase"])
        #expect(summary.slots.map(\.kind) == [.passphrase])
        #expect(summary.slots.map(\.cost) == [VaultFixture.cost])
        #expect(throws: VaultError.noVault(home: "/nonexistent")) {
            try CredentialVault.summary(at: "/nonexistent")
        }
    }
}
