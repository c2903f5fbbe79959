import ATProtoSessions
import ATProtoVault
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

/// The vault that apps and the server use, on two machines that share it.
@Suite("A file vault that is shared", .timeLimit(.minutes(2))) struct SharedFileVaultTests {
    private let first: Session
    private let fleet: Fleet
    private let here: Machine
    private let there: Machine

    init() async throws {
        first = try Sessions.session("first")
        fleet = try await Fleet(first)
        here = try await fleet.machine()
        there = try await fleet.machine()
    }

    @Test("has the logins of the other machine at once, and its changes")
    func logins() async throws {
        let (mine, theirs) = (FileVault(here.vault), FileVault(there.vault))
        let account = try Sessions.account()
        try await mine.save(account, try Sessions.session("second"))
        #expect(try await theirs.session(account.id).refreshToken?.reveal() == "second-refresh")
        #expect(try await theirs.account(account.id).did == account.did)
        try await theirs.save(account, try Sessions.session("third"))
        #expect(try await mine.newest(account.id).refreshToken?.reveal() == "third-refresh")
        // What was read is a copy now, and needs no store.
        here.link.cut()
        #expect(try await mine.session(account.id).refreshToken?.reveal() == "third-refresh")
        here.link.heal()
        try await mine.remove(account.id)
        let error = await #expect(throws: StoreError.self) { try await theirs.newest(account.id) }
        #expect(error?.code == .noSuchSession)
        try await theirs.remove(account.id)
        #expect(try await theirs.accounts().isEmpty)
    }

    @Test("seals a secret of a program for all machines, and under its name only") func secrets() async throws
    {
        let (mine, theirs) = (FileVault(here.vault), FileVault(there.vault))
        let sealed = try await mine.seal([1, 2, 3], as: "keys/a")
        #expect(try await theirs.open(sealed, as: "keys/a") == [1, 2, 3])
        await #expect(throws: StoreError.self) { try await theirs.open(sealed, as: "keys/b") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            await #expect(throws: StoreError.self) { try await theirs.open(changed, as: "keys/a") }
        }
        let other = try await Fleet(first).machine()
        await #expect(throws: StoreError.self) { try await FileVault(other.vault).open(sealed, as: "keys/a") }
    }

    @Test("lists the accounts of all machines") func list() async throws {
        let account = try Sessions.account()
        try await FileVault(here.vault).save(account, try Sessions.session("second"))
        #expect(try await FileVault(there.vault).accounts().map(\.id) == [account.id])
        #expect(try there.vault.hasAccount(fleet.id))
    }

    @Test("saves nothing where the store is not reached") func away() async throws {
        let account = try Sessions.account()
        here.link.cut()
        await #expect(throws: StoreError.self) {
            try await FileVault(here.vault).save(account, try Sessions.session("second"))
        }
        #expect(try !here.vault.hasAccount(account.id))
        await #expect(throws: StoreError.self) { try await FileVault(here.vault).remove(fleet.id) }
        #expect(try await FileVault(here.vault).session(fleet.id).tokenFingerprint == first.tokenFingerprint)
    }

    @Test("is not opened without a way to its store") func noWay() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await FileVault.open(
                at: here.vault.home, key: .keyFile("\(fleet.directory.path)/key"))
        }
        #expect(error?.code == .notOpened)
        let rows = fleet.rows
        let opened = try await FileVault.open(
            at: here.vault.home, key: .keyFile("\(fleet.directory.path)/key"),
            stores: FileVault.Stores { url, password in
                #expect(url == Fleet.store && password == nil)
                return rows
            })
        #expect(opened.isShared)
        #expect(try await opened.newest(fleet.id).tokenFingerprint == first.tokenFingerprint)
    }
}
