import ATProtoSessions
import ATProtoVault
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

/// The vault that apps and the server use, on two machines that share it.
@Suite("A file vault that is shared", .timeLimit(.minutes(5))) struct SharedFileVaultTests {
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

    @Test("has no account that another machine logged out of, though its files can't be removed here")
    func stays() async throws {
        let (mine, theirs) = (FileVault(here.vault), FileVault(there.vault))
        let (account, other) = (try Sessions.account(), try Sessions.account())
        try await mine.save(account, try Sessions.session("second"))
        try await mine.save(other, try Sessions.session("third"))
        #expect(try await theirs.accounts().count == 2)
        try await mine.remove(account.id)
        let workshop = URL(filePath: "\(there.vault.home)/workshop")
        try FileManager.default.removeItem(at: workshop)
        try Data().write(to: workshop)
        #expect(try await theirs.accounts().map(\.id) == [other.id])
        let error = await #expect(throws: StoreError.self) { try await theirs.newest(account.id) }
        #expect(error?.code == .noSuchSession)
        #expect(try await theirs.newest(other.id).state == .ok)
        try FileManager.default.removeItem(at: workshop)
        _ = try await theirs.accounts()
        #expect(try !there.vault.hasAccount(account.id))
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

    @Test("keeps a login that the store may have, and the next login replaces it", arguments: [true, false])
    func keptLogin(isAnswered: Bool) async throws {
        let (mine, theirs) = (FileVault(here.vault), FileVault(there.vault))
        let workshop = here.vault.home + "/workshop"
        // The store has the account: the second write, after its row. Then the answer is lost; or this machine can neither add it
        // nor take it back.
        here.link.failAt(write: 2, with: isAnswered ? .last : .lastAnswerLost)
        if isAnswered {
            try FileManager.default.createDirectory(
                atPath: workshop, withIntermediateDirectories: true, attributes: nil)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workshop)
        }
        let (account, session) = (try Sessions.account(), try Sessions.session("second"))
        let error = await #expect(throws: StoreError.self) {
            try await mine.saveLogin(account, session, replacing: true)
        }
        #expect(error?.code == .kept)
        #expect(try here.vault.keptLogins().map(\.id) == [account.id])
        here.link.heal()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: workshop)
        // Other machines have the account already.
        #expect(try await theirs.session(account.id).tokenFingerprint == session.tokenFingerprint)
        let next = try Sessions.session("third")
        let saved = try await mine.saveLogin(try Sessions.account(), next, replacing: true)
        #expect(saved?.account.id == account.id)
        #expect(saved?.replaced.map { $0.session.tokenFingerprint } == [session.tokenFingerprint])
        #expect(try here.vault.keptLogins().isEmpty)
        #expect(try await theirs.newest(account.id).tokenFingerprint == next.tokenFingerprint)
        #expect(Set(try await theirs.accounts().map(\.id)) == [account.id])
    }

    @Test("drops a new account that another machine could not add after all") func takenBack() async throws {
        let (mine, theirs) = (FileVault(here.vault), FileVault(there.vault))
        let workshop = URL(filePath: "\(here.vault.home)/workshop")
        try? FileManager.default.removeItem(at: workshop)
        try Data().write(to: workshop)
        let account = try Sessions.account()
        let error = await #expect(throws: StoreError.self) {
            try await mine.saveLogin(account, try Sessions.session("second"), replacing: true)
        }
        // The caller may end the session: the store does not have it any more.
        #expect(error?.code != .kept)
        #expect(try await theirs.accounts().isEmpty)
        #expect(try here.vault.keptLogins().isEmpty)
        try FileManager.default.removeItem(at: workshop)
        let saved = try await theirs.saveLogin(account, try Sessions.session("third"), replacing: true)
        #expect(try await mine.accounts().map(\.id) == [saved?.account.id])
    }

    @Test("saves no account of an archive over one with its UUID") func takenUUID() async throws {
        let account = try Sessions.account()
        try await FileVault(there.vault).save(account, try Sessions.session("second"))
        let saved = try await FileVault(here.vault).saveLogin(
            account.with(label: "other"), try Sessions.session("third"), replacing: false)
        #expect(saved == nil)
        #expect(try await FileVault(here.vault).account(account.id).label == nil)
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
