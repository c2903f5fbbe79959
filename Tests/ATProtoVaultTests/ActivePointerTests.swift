import ATPPlatform
import ATProtoVault
import BskyAuthCovers
import FoundationEssentials
import Testing

@Suite("Active account") struct ActivePointerTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
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
}
