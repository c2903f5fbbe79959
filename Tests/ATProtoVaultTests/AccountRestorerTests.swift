import ATPPlatform
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Repair of an account") struct AccountRestorerTests {
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

    private func begin() async throws -> ReservedRotation {
        let lock = try await vault.lock(id, timeout: .zero)
        return try vault.beginRotation(
            of: id, under: lock, tokenFingerprint: "old", reserving: 4096, at: Date())
    }

    // MARK: A copy that is ahead

    /// Rotates so that writing the record fails and its copy succeeds: a directory is in place of the record.
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

    @Test("if a rotation can't write its record, the second copy keeps the session", .covers("12.2", "F9"))
    func copyAhead() async throws {
        try await rotateWithoutItsRecord()
        let session = try vault.read(.session, of: id)
        #expect(text(session) == "rotated" && session.generation == 2)
        #expect(try vault.check().outdated == [fixture.file(.session, id)])
        // The next rotation renews both files.
        try await begin().commit(secret("rotated again"))
        #expect(text(try vault.read(.session, of: id)) == "rotated again")
        #expect(try vault.read(.session, of: id).generation == 3)
        #expect(try vault.check().outdated.isEmpty)
    }

    @Test("if that copy is lost too, the intent says that the record's token is spent", .covers("H3"))
    func copyAheadAndLost() async throws {
        try await rotateWithoutItsRecord()
        try fixture.damage(fixture.file(.session, id) + ".copy")
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
        let lock = try await vault.lock(id, timeout: .zero)
        #expect(try vault.intent(of: id, under: lock)?.tokenFingerprint == "old")
        _ = consume lock
    }

    @Test("a repair renews a record from a copy that is ahead")
    func restoresARecordThatIsBehind() async throws {
        try await rotateWithoutItsRecord()
        let file = fixture.file(.session, id)
        let done = try await restore(id)
        #expect(done.map(\.summary) == ["session restored"])
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
        #expect(text(try vault.read(.session, of: id)) == "rotated")
    }

    @Test("a rotation that can write neither fails, and its intent stays")
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

    // MARK: Restoring

    @Test("a damaged or missing record is restored from its second copy", arguments: RecordKind.allCases)
    func restoresRecords(_ kind: RecordKind) async throws {
        let whole = try fixture.contents().filter { !$0.key.contains("/locks/") }
        let file = fixture.file(kind, id)
        for harm in [{ try fixture.damage($0) }, { try FileSystem.remove($0) }] as [(String) throws -> Void] {
            try harm(file)
            #expect(try await restore(id).map(\.summary) == ["\(kind.rawValue) restored"])
            #expect(try fixture.contents().filter { !$0.key.contains("/locks/") } == whole)
        }
        #expect(try await restore(id).isEmpty)
    }

    @Test("a damaged or missing second copy is renewed from its record", arguments: RecordKind.allCases)
    func renewsCopies(_ kind: RecordKind) async throws {
        let copy = fixture.file(kind, id) + ".copy"
        let whole = try fixture.bytes(copy)
        for harm in [{ try fixture.damage($0) }, { try FileSystem.remove($0) }] as [(String) throws -> Void] {
            try harm(copy)
            #expect(try await restore(id).map(\.summary) == ["\(kind.rawValue).copy renewed"])
            #expect(try fixture.bytes(copy) == whole)
        }
    }

    @Test("if both are damaged, nothing changes and the record is reported")
    func both() async throws {
        let file = fixture.file(.session, id)
        try fixture.damage(file)
        try fixture.damage(file + ".copy")
        let before = try fixture.contents().filter { !$0.key.contains("/locks/") }
        #expect(try await restore(id).map(\.summary) == ["session left"])
        #expect(try fixture.contents().filter { !$0.key.contains("/locks/") } == before)
    }

    @Test("a restored session is marked if a rotation may have spent its token")
    func uncertain() async throws {
        try await begin().leaveUncertain()
        try fixture.damage(fixture.file(.session, id))
        #expect(try await restore(id).map(\.summary) == ["session restored, may be spent"])
        let lock = try await vault.lock(id, timeout: .zero)
        #expect(try vault.intent(of: id, under: lock)?.tokenFingerprint == "old")
        _ = consume lock
    }

    @Test("a session whose token is spent is not restored")
    func spent() async throws {
        let file = fixture.file(.session, id)
        let old = try fixture.bytes(file)
        try await begin().commit(secret("rotated"))
        try await begin().leaveUncertain()
        try fixture.write(old, file + ".copy")
        try fixture.damage(file)
        #expect(try await restore(id).map(\.summary) == ["session left"])
    }

    @Test("a rotation begins with a second copy of the current generation")
    func renewedByARotation() async throws {
        let file = fixture.file(.session, id)
        try FileSystem.remove(file + ".copy")
        try await begin().abandon()
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
    }

    @Test("a damaged intent is removed, and the account can be refreshed again")
    func damagedIntent() async throws {
        try await begin().leaveUncertain()
        try fixture.damage(fixture.directory(id) + "/intent")
        #expect(try await restore(id).map(\.summary) == ["intent discarded"])
        try await begin().commit(secret("rotated"))
    }

    @Test("files with unsafe permissions or of a newer program are left as they are")
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
            case .loginFinished: "finished"
            case .left: "left"
            }
        return FileSystem.name(of: file) + " " + what
    }
}

extension VaultError {
    fileprivate var isInputOutput: Bool { if case .io = self { true } else { false } }
}
