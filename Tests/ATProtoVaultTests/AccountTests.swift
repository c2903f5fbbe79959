import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Accounts") struct AccountTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
    }

    @Test func listsThemSorted() throws {
        let vault = try fixture.create()
        #expect(try vault.accounts().isEmpty)
        let ids = try (0..<5).map { _ in try VaultFixture.add(to: vault) }
        #expect(try vault.accounts() == ids.sorted { $0.uuidString < $1.uuidString })
        for name in ["not-a-uuid", ".hidden", UUID().uuidString] {
            try PrivateDirectory.create(fixture.home + "/accounts/" + name)
        }
        try PrivateDirectory.create(fixture.directory(UUID()))
        #expect(try vault.accounts().count == 5)
    }

    @Test("what killed processes left is removed, but nothing behind a symbolic link")
    func leftovers() throws {
        let vault = try fixture.create()
        let workshop = fixture.home + "/workshop"
        try VaultFixture.add(to: vault)
        try fixture.write([1], workshop + "/file")
        Disk.link(workshop + "/link", to: fixture.base)
        try VaultFixture.add(to: vault)
        #expect(try FileSystem.names(in: workshop).isEmpty)

        let precious = fixture.base + "/precious"
        try PrivateDirectory.create(precious + "/inside")
        try FileSystem.removeTree(workshop)
        Disk.link(workshop, to: precious)
        #expect(throws: VaultError.symlink(path: workshop)) { try VaultFixture.add(to: vault) }
        #expect(try FileSystem.exists(precious + "/inside"))
    }

    @Test func removesAnUnreadableAccountWithoutTheKey() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault)
        try vault.setActive(id)
        try fixture.write([1, 2, 3], fixture.file(.session, id))
        let lock = try await vault.lock(id, timeout: .zero)
        #expect(throws: VaultError.busy(holder: ProcessInfo.pid)) {
            try CredentialVault.removeUnreadable(id, at: fixture.home)
        }
        _ = consume lock
        try CredentialVault.removeUnreadable(id, at: fixture.home)
        #expect(try vault.accounts() == [other])
        #expect(try vault.active() == ActiveAccount(nil, nil, none: true))
        #expect(throws: VaultError.noSuchAccount(id)) {
            try CredentialVault.removeUnreadable(id, at: fixture.home)
        }
    }

    @Test func takesOnlyTheLockOfTheAccount() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault)
        let before = try fixture.contents()
        let lock = try await vault.lock(other, timeout: .zero)
        #expect(throws: VaultError.busy(holder: nil)) {
            try vault.replaceSession(secret("x"), of: id, under: lock)
        }
        #expect(throws: VaultError.busy(holder: nil)) { try vault.remove(id, names: [], under: lock) }
        _ = consume lock
        let isRecord = { (path: String) in !path.hasSuffix(".lock") }
        #expect(try fixture.contents().filter { isRecord($0.key) } == before.filter { isRecord($0.key) })
    }

    @Test(.covers("H8")) func locksOneAccountAtATime() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault)
        let lock = try await vault.lock(id, timeout: .zero)
        let isFree = try vault.tryLock(id) != nil
        #expect(!isFree)
        let isOtherFree = try vault.tryLock(other) != nil
        #expect(isOtherFree)
        await #expect(throws: VaultError.busy(holder: ProcessInfo.pid)) {
            _ = try await vault.lock(id, timeout: .milliseconds(30))
        }
        let waiter = Task { _ = try await vault.lock(id, timeout: .seconds(60)) }
        waiter.cancel()
        await #expect(throws: VaultError.cancelled) { try await waiter.value }
        _ = consume lock
        let isFreeAgain = try vault.tryLock(id) != nil
        #expect(isFreeAgain)
    }
}
