import Covers
import CredentialVault
import FoundationEssentials
import Platform
import Testing

@Suite("Check and restore") struct AccountRestorerTests {
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

    private func restore(_ id: UUID) async throws -> [Restoration] {
        let lock = try await vault.lock(id, timeout: .zero)
        let done = try vault.restore(id, under: lock)
        _ = consume lock
        return done
    }

    private func begin() async throws -> RotationPermit {
        let lock = try await vault.lock(id, timeout: .zero)
        return try vault.beginRotation(
            of: id, under: lock, tokenFingerprint: "old", reserving: 4096, at: Date())
    }

    private func damage(_ file: String) throws {
        var bytes = try fixture.bytes(file)
        bytes[bytes.count - 1] ^= 1
        try fixture.write(bytes, file)
    }

    // MARK: A copy that is ahead

    /// Lets a rotation's record fail and its second copy succeed: a directory takes the record's place.
    private func rotateWithoutItsRecord() async throws {
        let file = fixture.file(.session, id)
        let aside = fixture.base + "/aside"
        let permit = try await begin()
        try FileSystem.rename(file, to: aside)
        try PrivateDirectory.create(file)
        try permit.commit(secret("rotated"))
        try FileSystem.removeTree(file)
        try FileSystem.rename(aside, to: file)
    }

    @Test("a rotation whose record can't be written is kept by its second copy", .covers("12.2", "F9"))
    func copyAhead() async throws {
        try await rotateWithoutItsRecord()
        let session = try vault.read(.session, of: id)
        #expect(text(session) == "rotated" && session.generation == 2)
        #expect(try vault.check().outdated == [fixture.file(.session, id)])
        // The next rotation replaces what was read, and neither file is behind after it.
        try await begin().commit(secret("rotated again"))
        #expect(text(try vault.read(.session, of: id)) == "rotated again")
        #expect(try vault.read(.session, of: id).generation == 3)
        #expect(try vault.check().outdated.isEmpty)
    }

    @Test("the token that such a rotation spent is known as spent where the copy is lost too", .covers("H3"))
    func copyAheadAndLost() async throws {
        try await rotateWithoutItsRecord()
        try damage(fixture.file(.session, id) + ".copy")
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
        let lock = try await vault.lock(id, timeout: .zero)
        #expect(try vault.intent(of: id, under: lock)?.tokenFingerprint == "old")
        _ = consume lock
    }

    @Test("restoring writes a record anew from a copy that is ahead")
    func restoresARecordThatIsBehind() async throws {
        try await rotateWithoutItsRecord()
        let file = fixture.file(.session, id)
        let done = try await restore(id)
        #expect(done.map(\.summary) == ["session restored"])
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
        #expect(text(try vault.read(.session, of: id)) == "rotated")
    }

    @Test("a rotation that keeps neither fails, and its intent stays")
    func neither() async throws {
        let file = fixture.file(.session, id)
        let permit = try await begin()
        for file in [file, file + ".copy"] {
            try FileSystem.remove(file)
            try PrivateDirectory.create(file)
        }
        do {
            try permit.commit(secret("rotated"))
            Issue.record("committed")
        } catch {
            #expect(error.isInputOutput)
        }
        #expect(try FileSystem.exists(fixture.directory(id) + "/intent"))
    }

    // MARK: Checking

    @Test(
        "the directories beside the accounts are looked at, too", arguments: ["names", "locks", "workshop"])
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

    @Test("a vault as it was written has nothing to find, and checking changes no file")
    func whole() throws {
        try vault.setActive(id)
        let before = try fixture.contents()
        let check = try vault.check()
        #expect(check.findings.isEmpty && check.outdated.isEmpty)
        // The header and its copy, who is active, two names, and two records with their copies for each account.
        #expect(check.goodFiles == 13)
        #expect(try fixture.contents() == before)
    }

    @Test("every damaged file is named, whichever it is, and no other", .covers("C12"))
    func everyFile() async throws {
        try vault.setActive(id)
        try await begin().leaveUncertain()
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.noteHandover(of: 1, of: id, under: lock)
        _ = consume lock
        let before = try fixture.contents()
        let files = before.keys.filter { !$0.contains("/locks/") && !$0.hasSuffix("/vault.json") }
        #expect(files.count == 14)
        for file in files {
            try damage(file)
            #expect(try vault.check().findings.map(\.file) == [file])
            try fixture.write(before[file] ?? [], file)
        }
        for file in files { try damage(file) }
        #expect(try Set(vault.check().findings.map(\.file)) == Set(files))
    }

    @Test("what is missing, and what others could have changed, is named too")
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

    @Test("a second copy that is missing is no damage")
    func missingCopy() throws {
        let copy = fixture.file(.session, id) + ".copy"
        try FileSystem.remove(copy)
        let check = try vault.check()
        #expect(check.findings.isEmpty && check.outdated == [copy])
    }

    @Test("what was left of an account is named and removed, but not while another process may be at it")
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

    // MARK: Restoring

    @Test("a damaged or missing record becomes what its second copy is", arguments: RecordKind.allCases)
    func restoresRecords(_ kind: RecordKind) async throws {
        let whole = try fixture.contents().filter { !$0.key.contains("/locks/") }
        let file = fixture.file(kind, id)
        for damage in [{ try self.damage($0) }, { try FileSystem.remove($0) }] as [(String) throws -> Void] {
            try damage(file)
            #expect(try await restore(id).map(\.summary) == ["\(kind.rawValue) restored"])
            #expect(try fixture.contents().filter { !$0.key.contains("/locks/") } == whole)
        }
        #expect(try await restore(id).isEmpty)
    }

    @Test("a damaged or missing second copy becomes what its record is", arguments: RecordKind.allCases)
    func renewsCopies(_ kind: RecordKind) async throws {
        let copy = fixture.file(kind, id) + ".copy"
        let whole = try fixture.bytes(copy)
        for damage in [{ try self.damage($0) }, { try FileSystem.remove($0) }] as [(String) throws -> Void] {
            try damage(copy)
            #expect(try await restore(id).map(\.summary) == ["\(kind.rawValue).copy renewed"])
            #expect(try fixture.bytes(copy) == whole)
        }
    }

    @Test("where both are damaged nothing is changed, and the record is named")
    func both() async throws {
        let file = fixture.file(.session, id)
        try damage(file)
        try damage(file + ".copy")
        let before = try fixture.contents().filter { !$0.key.contains("/locks/") }
        #expect(try await restore(id).map(\.summary) == ["session left"])
        #expect(try fixture.contents().filter { !$0.key.contains("/locks/") } == before)
    }

    @Test("a session whose token a rotation may have spent is restored as that")
    func uncertain() async throws {
        try await begin().leaveUncertain()
        try damage(fixture.file(.session, id))
        #expect(try await restore(id).map(\.summary) == ["session restored, may be spent"])
        let lock = try await vault.lock(id, timeout: .zero)
        #expect(try vault.intent(of: id, under: lock)?.tokenFingerprint == "old")
        _ = consume lock
    }

    @Test("a session of a generation that is spent is not restored")
    func spent() async throws {
        let file = fixture.file(.session, id)
        let old = try fixture.bytes(file)
        try await begin().commit(secret("rotated"))
        try await begin().leaveUncertain()
        try fixture.write(old, file + ".copy")
        try damage(file)
        #expect(try await restore(id).map(\.summary) == ["session left"])
    }

    @Test("a rotation begins with a second copy of the current generation")
    func renewedByARotation() async throws {
        let file = fixture.file(.session, id)
        try FileSystem.remove(file + ".copy")
        try await begin().abandon()
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
    }

    @Test("a damaged intent goes, and the account can be refreshed again")
    func damagedIntent() async throws {
        try await begin().leaveUncertain()
        try damage(fixture.directory(id) + "/intent")
        #expect(try await restore(id).map(\.summary) == ["intent discarded"])
        try await begin().commit(secret("rotated"))
    }

    @Test("a file that is unsafe to use, or a newer program's, is left as it is")
    func leftAlone() async throws {
        let session = fixture.file(.session, id)
        Disk.setMode(session, 0o644)
        #expect(try await restore(id).map(\.summary) == ["session left"])
        #expect(Disk.mode(session) == 0o644)
        Disk.setMode(session, 0o600)
        var bytes = try fixture.bytes(session)
        bytes[9] = 2
        try fixture.write(bytes, session)
        #expect(try await restore(id).map(\.summary) == ["session left"])
        #expect(try fixture.bytes(session) == bytes)
    }

    @Test("a damaged index of names is built again", .covers("G6", "K4"))
    func names() throws {
        let lists = try FileSystem.names(in: fixture.home + "/names")
        for name in lists { try damage(fixture.home + "/names/" + name) }
        #expect(try vault.find(name: "alice") == nil)
        let accounts = [(id: id, names: ["alice", "Ally"])]
        #expect(try vault.rebuildNames(accounts).count == 2)
        #expect(try vault.check().findings.isEmpty)
        #expect(try vault.find(name: "alice") == [id] && vault.find(name: "ally") == [id])
        #expect(try vault.rebuildNames(accounts).isEmpty)
        #expect(try FileSystem.names(in: fixture.home + "/workshop").isEmpty)
    }

    @Test("what can be read of the index is kept, of accounts that can't be read too")
    func keptNames() throws {
        let other = try VaultFixture.add(to: vault, names: ["carol"])
        for name in try FileSystem.names(in: fixture.home + "/names") {
            let path = fixture.home + "/names/" + name
            let bytes = try fixture.bytes(path)
            try damage(path)
            if try vault.find(name: "carol") == nil { try fixture.write(bytes, path) }
        }
        #expect(try vault.rebuildNames([(id: id, names: ["alice"])]).count == 2)
        #expect(try vault.find(name: "carol") == [other] && vault.find(name: "alice") == [id])
    }

    @Test("nothing is removed by way of a link in the place of the index")
    func namesBehindALink() throws {
        let names = fixture.home + "/names"
        let precious = fixture.base + "/precious"
        try PrivateDirectory.create(precious)
        for name in ["abcdef", ".bskyauth-tmp-abcdef-1f"] { try fixture.write([1], precious + "/" + name) }
        try FileSystem.removeTree(names)
        Disk.link(names, to: precious)
        #expect(throws: VaultError.symlink(path: names)) { try vault.rebuildNames([]) }
        #expect(try FileSystem.names(in: precious).count == 2)
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

extension Restoration {
    var summary: String {
        let what =
            switch outcome {
            case .restored(mayBeSpent: false): "restored"
            case .restored(mayBeSpent: true): "restored, may be spent"
            case .copyRenewed: "renewed"
            case .discarded: "discarded"
            case .leftoverRemoved: "removed"
            case .left: "left"
            }
        return FileSystem.name(of: file) + " " + what
    }
}

extension VaultError {
    fileprivate var isInputOutput: Bool { if case .io = self { true } else { false } }
}
