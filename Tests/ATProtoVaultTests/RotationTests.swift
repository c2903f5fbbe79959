import ATPPlatform
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Rotation") struct RotationTests {
    private let fixture: VaultFixture
    private let vault: CredentialVault
    private let id: UUID
    private let date = Date(timeIntervalSince1970: 1_760_000_000.123)

    init() throws {
        fixture = try VaultFixture()
        (vault, id) = try fixture.createWithAccount()
    }

    private func begin(_ fingerprint: String = "old") async throws -> ReservedRotation {
        let lock = try await vault.lock(id, timeout: .seconds(5))
        return try vault.beginRotation(
            of: id, under: lock, tokenFingerprint: fingerprint, reserving: 4096, at: date)
    }

    private func intent() async throws -> RotationIntent? {
        let lock = try await vault.lock(id, timeout: .seconds(5))
        let intent = try vault.intent(of: id, under: lock)
        _ = consume lock
        return intent
    }

    private func names() throws -> Set<String> { Set(try FileSystem.names(in: fixture.directory(id))) }

    private static let files: Set = ["profile", "profile.copy", "session", "session.copy"]

    @Test func keepsTheNewSessionAndClearsTheIntent() async throws {
        let bystander = try VaultFixture.add(to: vault)
        let before = try fixture.contents().filter { !$0.key.hasPrefix(fixture.directory(id)) }
        let permit = try await begin()
        #expect(permit.account == id)
        try permit.commit(secret("rotated"))
        let session = try vault.read(.session, of: id)
        #expect(text(session) == "rotated")
        #expect(session.generation == 2)
        #expect(try await intent() == nil)
        #expect(try names() == Self.files)
        let file = fixture.file(.session, id)
        #expect(try fixture.bytes(file) == fixture.bytes(file + ".copy"))
        let after = try fixture.contents().filter {
            !$0.key.hasPrefix(fixture.directory(id)) && !$0.key.hasSuffix(".lock")
        }
        #expect(after == before.filter { !$0.key.hasSuffix(".lock") })
        #expect(text(try vault.read(.session, of: bystander)) == "session of \(bystander)")
    }

    @Test func takesASessionThatIsLargerThanReserved() async throws {
        let large = String(repeating: "x", count: 100_000)
        try await begin().commit(secret(large))
        #expect(text(try vault.read(.session, of: id)) == large)
    }

    @Test(.covers("C12")) func reservesTheSpaceBeforeTheTokenIsSpent() async throws {
        let permit = try await begin()
        let temporary = try names().subtracting(Self.files).subtracting(["intent"])
        #expect(temporary.count == 2)
        for name in temporary {
            #expect(try fixture.bytes(fixture.directory(id) + "/" + name).count > 4096)
        }
        permit.leaveUncertain()
        #expect(try names() == Self.files.union(["intent"]))
    }

    @Test func holdsTheLockUntilItIsDone() async throws {
        let permit = try await begin()
        var isFree = try vault.tryLock(id) != nil
        #expect(!isFree)
        try permit.commit(secret("rotated"))
        isFree = try vault.tryLock(id) != nil
        #expect(isFree)
    }

    @Test func clearsTheIntentOfATokenThatWasNotSpent() async throws {
        try await begin().abandon()
        #expect(try await intent() == nil)
        #expect(try vault.read(.session, of: id).generation == 1)
        #expect(try names() == Self.files)
    }

    @Test func keepsTheIntentOfATokenThatMayBeSpent() async throws {
        try await begin().leaveUncertain()
        let found = try #require(await intent())
        #expect(found.tokenFingerprint == "old")
        #expect(found.attempt == 1)
        #expect(abs(found.startedAt.timeIntervalSince(date)) < 0.001)
        #expect(text(try vault.read(.session, of: id)) == "session of \(id)")
    }

    @Test func keepsTheIntentOfAPermitThatIsDropped() async throws {
        do { _ = try await begin() }
        #expect(try await intent()?.attempt == 1)
    }

    @Test func countsTheAttemptsAtOneToken() async throws {
        for attempt in 1...3 {
            let permit = try await begin()
            #expect(permit.intent.attempt == attempt)
            permit.leaveUncertain()
            #expect(try await intent()?.attempt == attempt)
        }
        let other = try await begin("another")
        #expect(other.intent.attempt == 1)
        other.leaveUncertain()
    }

    @Test func doesNotForgetAnUncertainAttemptForALaterAbandonedOne() async throws {
        try await begin().leaveUncertain()
        try await begin().abandon()
        #expect(try await intent()?.attempt == 1)
        try await begin("another").abandon()
        #expect(try await intent() == nil)
    }

    @Test func leavesTheIntentThatAnotherProcessHasWritten() async throws {
        let permit = try await begin()
        try FileSystem.remove(fixture.home + "/locks/\(id.text).lock")
        try await begin("another").leaveUncertain()
        try permit.abandon()
        #expect(try await intent()?.tokenFingerprint == "another")
    }

    @Test func refusesAnotherAccountsLock() async throws {
        let other = try VaultFixture.add(to: vault)
        let lock = try await vault.lock(other, timeout: .zero)
        do {
            _ = try vault.beginRotation(
                of: id, under: lock, tokenFingerprint: "old", reserving: 10, at: date)
            Issue.record("began")
        } catch {
            #expect(error == .busy(holder: nil))
        }
        #expect(try names() == Self.files)
    }

    @Test func refusesAChangedIntent() async throws {
        try await begin().leaveUncertain()
        let file = fixture.directory(id) + "/intent"
        try fixture.flippingEachBit(of: file) { index in
            let taken = try vault.tryLock(id)
            guard let lock = taken else {
                Issue.record("locked")
                return
            }
            let error = #expect(throws: VaultError.self) { try vault.intent(of: id, under: lock) }
            #expect(error?.changedFile == file, "byte \(index)")
        }
    }

    @Test func keepsTheNewSessionInAVaultThatIsMovedMeanwhile() async throws {
        let permit = try await begin()
        let moved = fixture.base + "/moved"
        try FileSystem.rename(fixture.home, to: moved)
        try fixture.copy(moved, to: fixture.home)
        do {
            try permit.commit(secret("rotated"))
            Issue.record("kept in a vault that is somewhere else")
        } catch {
            let account = "/accounts/" + id.text
            #expect(error == .replaced(path: fixture.home + account, nowAt: moved + account))
        }
        // The copied vault is unchanged, and its intent says that the token may be spent.
        #expect(text(try fixture.open().read(.session, of: id)) == "session of \(id)")
        #expect(try await intent()?.tokenFingerprint == "old")
        let there = try CredentialVault.open(at: moved, key: VaultFixture.passphrase)
        #expect(text(try there.read(.session, of: id)) == "rotated")
        #expect(try there.check().findings.isEmpty)
    }

    @Test func readsWithoutTheLock() async throws {
        let permit = try await begin()
        #expect(text(try fixture.open().read(.session, of: id)) == "session of \(id)")
        try permit.abandon()
    }
}
