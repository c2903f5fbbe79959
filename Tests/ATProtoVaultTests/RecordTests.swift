import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Records") struct RecordTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
    }

    @Test(.covers("F8", "G3")) func givesBackWhatWasAdded() throws {
        let (_, id) = try fixture.createWithAccount()
        let vault = try fixture.open()
        let profile = try vault.read(.profile, of: id)
        #expect(text(profile) == "profile of \(id)")
        #expect(profile.generation == 1)
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
        #expect("\(profile.content)" == "<redacted>")
    }

    @Test(.covers("B21")) func showsNothingOnDisk() throws {
        let (_, id) = try fixture.createWithAccount()
        for bytes in try fixture.contents().values {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("session of") && !text.contains("profile of") && !text.contains("horse"))
            #expect(!text.contains(id.uuidString))
        }
    }

    @Test(.covers("G1")) func replacesOneRecordOfOneAccount() async throws {
        let (vault, id) = try fixture.createWithAccount()
        try VaultFixture.add(to: vault)
        let before = try fixture.contents()
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceSession(secret("new"), of: id, under: lock)
        #expect(text(try vault.read(.session, of: id)) == "new")
        #expect(try vault.read(.session, of: id).generation == 2)
        try vault.replaceProfile(
            secret("newer"), of: id, names: [], givingUp: [], under: lock, vault.lockAccounts())
        #expect(text(try vault.read(.profile, of: id)) == "newer")
        let own = fixture.directory(id) + "/"
        let isOther = { (path: String) in !path.hasPrefix(own) && !path.hasSuffix(".lock") }
        let after = try fixture.contents()
        #expect(after.filter { isOther($0.key) } == before.filter { isOther($0.key) })
        _ = consume lock
    }

    @Test func keepsASecondCopyOfTheCurrentGeneration() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let file = fixture.file(.session, id)
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceSession(secret("new"), of: id, under: lock)
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
        _ = consume lock
    }

    @Test(arguments: RecordKind.allCases) func refusesEveryFlippedBit(_ kind: RecordKind) throws {
        let (vault, id) = try fixture.createWithAccount()
        let file = fixture.file(kind, id)
        try fixture.flippingEachBit(of: file) { index in
            let error = #expect(throws: VaultError.self) { try vault.read(kind, of: id) }
            #expect(error?.changedFile == file, "byte \(index)")
        }
        _ = try vault.read(kind, of: id)
    }

    @Test func refusesEveryTruncation() throws {
        let (vault, id) = try fixture.createWithAccount()
        let file = fixture.file(.session, id)
        let bytes = try fixture.bytes(file)
        for length in bytes.indices {
            try fixture.write(Array(bytes.prefix(length)), file)
            let error = #expect(throws: VaultError.self) { try vault.read(.session, of: id) }
            #expect(error?.changedFile == file)
        }
        try fixture.write(bytes + [0], file)
        let error = #expect(throws: VaultError.self) { try vault.read(.session, of: id) }
        #expect(error?.changedFile == file)
    }

    @Test(.covers("B22")) func refusesRecordsThatWereSwapped() throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault)
        let file = fixture.file(.session, id)
        for source in [fixture.file(.session, other), fixture.file(.profile, id)] {
            try fixture.write(try fixture.bytes(source), file)
            let error = #expect(throws: VaultError.self) { try vault.read(.session, of: id) }
            #expect(error?.changedFile == file)
        }
    }

    @Test(.covers("B22", "G1")) func refusesARecordThatClaimsToBeAnothers() throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault)
        let file = fixture.file(.session, id)
        var bytes = try fixture.bytes(fixture.file(.session, other))
        bytes.replaceSubrange(27..<43, with: try fixture.bytes(file)[27..<43])
        try fixture.write(bytes, file)
        #expect(throws: VaultError.damaged(file: file, reason: "does not match its authentication tag")) {
            try vault.read(.session, of: id)
        }
    }

    @Test func refusesARecordOfAnotherVault() throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture()
        let stranger = try other.create()
        try stranger.add(id, profile: secret("p"), session: secret("s"), names: [])
        let file = fixture.file(.session, id)
        try fixture.write(try other.bytes(other.file(.session, id)), file)
        #expect(throws: VaultError.damaged(file: file, reason: "is encrypted under another key")) {
            try vault.read(.session, of: id)
        }
    }

    @Test func refusesANewerFormat() throws {
        let (vault, id) = try fixture.createWithAccount()
        let file = fixture.file(.profile, id)
        var bytes = try fixture.bytes(file)
        bytes[9] = 2
        try fixture.write(bytes, file)
        #expect(throws: VaultError.newerFormat(file: file, found: 2)) { try vault.read(.profile, of: id) }
    }

    @Test(.covers("G3")) func tellsAMissingRecordFromAMissingAccount() throws {
        let (vault, id) = try fixture.createWithAccount()
        let unknown = UUID()
        #expect(throws: VaultError.noSuchAccount(unknown)) { try vault.read(.session, of: unknown) }
        try FileSystem.remove(fixture.file(.session, id))
        let error = #expect(throws: VaultError.self) { try vault.read(.session, of: id) }
        #expect(error?.changedFile == fixture.file(.session, id))
    }

    @Test func refusesWhatOthersCouldHaveChanged() throws {
        let (vault, id) = try fixture.createWithAccount()
        let file = fixture.file(.session, id)
        Disk.setMode(file, 0o644)
        #expect(throws: VaultError.unsafePermissions(path: file, mode: 0o644)) {
            try vault.read(.session, of: id)
        }
        Disk.setMode(file, 0o600)
        let directory = fixture.directory(id)
        Disk.setMode(directory, 0o755)
        #expect(throws: VaultError.unsafePermissions(path: directory, mode: 0o755)) {
            try vault.read(.session, of: id)
        }
        Disk.setMode(directory, 0o700)
        try FileSystem.rename(file, to: fixture.base + "/elsewhere")
        Disk.link(file, to: fixture.base + "/elsewhere")
        #expect(throws: VaultError.symlink(path: file)) { try vault.read(.session, of: id) }
    }

    @Test(.enabled(if: Disk.isRoot)) func refusesAnotherUsersRecord() throws {
        let (vault, id) = try fixture.createWithAccount()
        Disk.setOwner(fixture.file(.session, id), 1234)
        #expect(throws: VaultError.foreignOwner(path: fixture.file(.session, id))) {
            try vault.read(.session, of: id)
        }
    }
}
