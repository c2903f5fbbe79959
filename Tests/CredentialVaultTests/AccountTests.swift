import Covers
import CredentialVault
import FoundationEssentials
import Platform
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

    @Test func findsThemByNameInAnyCase() throws {
        let vault = try fixture.create()
        let first = try VaultFixture.add(to: vault, names: ["alice.example.com", "did:plc:abc"])
        let second = try VaultFixture.add(to: vault, names: ["Alice.Example.com"])
        #expect(try vault.find(name: "ALICE.example.COM") == [first, second])
        #expect(try vault.find(name: "did:plc:abc") == [first])
        #expect(try vault.find(name: "bob.example.com") == [])
    }

    @Test func doesNotFindWhatIsGone() async throws {
        let vault = try fixture.create()
        let first = try VaultFixture.add(to: vault, names: ["alice"])
        let second = try VaultFixture.add(to: vault, names: ["alice"])
        // A name that remove is not told of is stale, and harmless.
        let lock = try await vault.lock(first, timeout: .zero)
        try vault.remove(first, names: [], under: lock)
        #expect(try vault.find(name: "alice") == [second])
        let other = try await vault.lock(second, timeout: .zero)
        try vault.remove(second, names: ["alice"], under: other)
        #expect(try vault.find(name: "alice") == [])
        #expect(try FileSystem.names(in: fixture.home + "/names").isEmpty)
        _ = consume lock
        _ = consume other
    }

    @Test func addsNamesWithAProfile() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceProfile(
            secret("p"), of: id, names: ["new.example.com"], givingUp: [], under: lock, vault.lockAccounts())
        #expect(try vault.find(name: "new.example.com") == [id])
        _ = consume lock
    }

    @Test("names that are given up lead nowhere, and their lists go with the last of them")
    func givesUpNames() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let other = try VaultFixture.add(to: vault, names: ["shared"])
        let lock = try await vault.lock(id, timeout: .zero)
        try vault.replaceProfile(
            secret("p"), of: id, names: ["old", "shared", "Kept"], givingUp: [], under: lock,
            vault.lockAccounts())
        try vault.replaceProfile(
            secret("q"), of: id, names: ["new", "kept"], givingUp: ["old", "shared", "Kept"], under: lock,
            vault.lockAccounts())
        _ = consume lock
        #expect(try vault.find(name: "old") == [] && vault.find(name: "shared") == [other])
        #expect(try vault.find(name: "new") == [id] && vault.find(name: "kept") == [id])
        #expect(try FileSystem.names(in: fixture.home + "/names").count == 3)
    }

    @Test func refusesNameFilesThatWereSwapped() throws {
        let vault = try fixture.create()
        let names = fixture.home + "/names"
        try VaultFixture.add(to: vault, names: ["alice"])
        let alice = names + "/" + (try #require(FileSystem.names(in: names).first))
        try VaultFixture.add(to: vault, names: ["bob"])
        let bob = try #require(FileSystem.names(in: names).map { names + "/" + $0 }.first { $0 != alice })
        try fixture.write(try fixture.bytes(bob), alice)
        // An index that does not open can't tell, and leads nowhere, least of all to bob.
        #expect(try vault.find(name: "alice") == nil)
    }

    @Test func doesNotTakeAMissingIndexForOneWithoutNames() throws {
        let vault = try fixture.create()
        try VaultFixture.add(to: vault, names: ["alice"])
        #expect(try vault.find(name: "bob") == [])
        try FileSystem.removeTree(fixture.home + "/names")
        #expect(try vault.find(name: "alice") == nil)
    }

    @Test("what killed processes left goes, whatever it is, and nothing by way of a link")
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

    @Test("a profile is not written where its names can't be noted")
    func namesBehindALink() async throws {
        let (vault, id) = try fixture.createWithAccount()
        let names = fixture.home + "/names"
        Disk.link(names, to: fixture.base)
        let before = try fixture.bytes(fixture.file(.profile, id))
        let lock = try await vault.lock(id, timeout: .zero)
        do {
            try vault.replaceProfile(
                secret("other"), of: id, names: ["bob"], givingUp: [], under: lock, vault.lockAccounts())
            Issue.record("written")
        } catch {
            #expect(error == .symlink(path: names))
        }
        _ = consume lock
        #expect(try fixture.bytes(fixture.file(.profile, id)) == before)
    }

    @Test func remembersWhoIsActive() throws {
        let (vault, first) = try fixture.createWithAccount()
        let second = try VaultFixture.add(to: vault)
        #expect(try vault.active() == ActiveAccount(nil, nil, none: false))
        try vault.setActive(first)
        #expect(try vault.active() == ActiveAccount(first, nil, none: false))
        try vault.setActive(second)
        try vault.setActive(second)
        #expect(try vault.active() == ActiveAccount(second, first, none: false))
        try vault.setActive(nil)
        #expect(try fixture.open().active() == ActiveAccount(nil, second, none: true))
        let unknown = UUID()
        #expect(throws: VaultError.noSuchAccount(unknown)) { try vault.setActive(unknown) }
    }

    @Test(.covers("G3")) func activatesNobodyInPlaceOfARemovedAccount() async throws {
        let (vault, first) = try fixture.createWithAccount()
        let second = try VaultFixture.add(to: vault)
        try vault.setActive(first)
        try vault.setActive(second)
        let lock = try await vault.lock(second, timeout: .zero)
        try vault.remove(second, names: [], under: lock)
        #expect(try vault.active() == ActiveAccount(nil, first, none: true))
        #expect(try vault.accounts() == [first])
        #expect(throws: VaultError.noSuchAccount(second)) { try vault.read(.session, of: second) }
        let again = #expect(throws: VaultError.self) { try vault.tryLock(second) == nil }
        #expect(again == .noSuchAccount(second))
        _ = consume lock
    }

    @Test func isNotPreviousToItself() async throws {
        let (vault, first) = try fixture.createWithAccount()
        let second = try VaultFixture.add(to: vault)
        try vault.setActive(first)
        try vault.setActive(second)
        let lock = try await vault.lock(second, timeout: .zero)
        try vault.remove(second, names: [], under: lock)
        _ = consume lock
        try vault.setActive(first)
        #expect(try vault.active() == ActiveAccount(first, nil, none: false))
        try vault.setActive(nil)
        #expect(try vault.active() == ActiveAccount(nil, first, none: true))
    }

    @Test func refusesEveryFlippedBitOfWhoIsActive() throws {
        let (vault, id) = try fixture.createWithAccount()
        try vault.setActive(id)
        let file = fixture.home + "/active"
        try fixture.flippingEachBit(of: file) { index in
            let error = #expect(throws: VaultError.self) { try vault.active() }
            #expect(error?.changedFile == file, "byte \(index)")
        }
        try fixture.write([1, 2, 3], file)
        try vault.setActive(id)
        #expect(try vault.active().current == id)
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
