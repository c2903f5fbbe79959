import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Synchronization
import Testing

/// Logins to one account on several machines that share a vault: the section "Logins" of docs/design/shared-vault.md.
/// Tests/Model checks every order of its steps.
@Suite("A login at a shared vault", .timeLimit(.minutes(5))) struct SharedLoginTests {
    private let fleet: Fleet
    private let machines: [Machine]

    init() async throws {
        fleet = try await Fleet(try Sessions.session("first"))
        machines = [try await fleet.machine(), try await fleet.machine(), try await fleet.machine()]
    }

    private func vault(_ number: Int) -> FileVault { FileVault(machines[number].vault) }

    /// The accounts of the login that the store has. The account that each fleet begins with has no readable profile.
    private func accounts() async throws -> [Account] { try await vault(0).accounts() }

    private func records() async throws -> Int {
        try await fleet.rows.list("accounts/", after: nil, limit: 100).count
    }

    private func rows() async throws -> [StoredRow] {
        try await fleet.rows.list("logins/", after: nil, limit: 100)
    }

    @Test("adds one account, wherever people log in", .covers("K1")) func once() async throws {
        let logins = try (0..<18).map { (try Sessions.account(), try Sessions.session("login-\($0)")) }
        let saved = try await withThrowingTaskGroup(of: SavedLogin?.self) { group in
            for (number, (account, session)) in logins.enumerated() {
                group.addTask {
                    try await vault(number % 3).saveLogin(account, session, replacing: true)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let account = try #require(try await accounts().first)
        #expect(try await accounts().count == 1)
        #expect(saved.allSatisfy { $0?.account.id == account.id })
        let last = try await vault(0).newest(account.id).tokenFingerprint
        let replaced = saved.flatMap { $0?.replaced ?? [] }.map(\.session.tokenFingerprint)
        #expect((replaced + [last]).sorted() == logins.map(\.1.tokenFingerprint).sorted())
        #expect(try await rows().count == 1)
    }

    // MARK: Writes whose outcome is unknown

    @Test(
        "whose write gets no answer is saved, or nothing of it is", arguments: [1, 2],
        [FaultyRows.Fault.answerLost, .requestLost])
    func noAnswer(write: Int, fault: FaultyRows.Fault) async throws {
        machines[0].link.failAt(write: write, with: fault)
        let (account, session) = (try Sessions.account(), try Sessions.session("second"))
        // The store answers the next question, so the outcome is found out.
        let saved = try #require(try await vault(0).saveLogin(account, session, replacing: true))
        #expect(saved.replaced.isEmpty)
        #expect(try await vault(1).accounts().map(\.id) == [saved.account.id])
        #expect(try await vault(1).newest(account.id).tokenFingerprint == session.tokenFingerprint)
    }

    @Test(
        "may be revoked if the outcome of its row is unknown, because nothing was added",
        arguments: [FaultyRows.Fault.lastAnswerLost, .lastRequestLost])
    func unknownRow(fault: FaultyRows.Fault) async throws {
        machines[0].link.fail(fault)
        let account = try Sessions.account()
        let error = await #expect(throws: StoreError.self) {
            try await vault(0).saveLogin(account, try Sessions.session("second"), replacing: true)
        }
        #expect(error != nil && error?.code != .kept)
        machines[0].link.heal()
        #expect(try await accounts().isEmpty)
        #expect(try machines[0].vault.keptLogins().isEmpty)
        let quick = try await fleet.machine(SharedStore.Limits(appearance: .zero))
        let next = try await FileVault(quick.vault).saveLogin(
            try Sessions.account(), try Sessions.session("third"), replacing: true)
        #expect(try await accounts().map(\.id) == [next?.account.id])
        // A slow machine can't make an account of the UUID that the row named.
        #expect(try await records() == (fault == .lastAnswerLost ? 3 : 2))
    }

    /// What other machines do while nothing is known of a write.
    enum Meanwhile: CaseIterable, Sendable { case nothing, refresh, login, logout }

    @Test(
        "is kept with the condition of a write whose outcome is unknown, and finished or forgotten under it",
        arguments: [FaultyRows.Fault.lastAnswerLost, .lastRequestLost], Meanwhile.allCases)
    func kept(fault: FaultyRows.Fault, meanwhile: Meanwhile) async throws {
        let (account, session) = (try Sessions.account(), try Sessions.session("second"))
        machines[0].link.failAt(write: 2, with: fault)
        let error = await #expect(throws: StoreError.self) {
            try await vault(0).saveLogin(account, session, replacing: true)
        }
        #expect(error?.code == .kept)
        let kept = try #require(try machines[0].vault.keptLogins().first)
        #expect(kept.write == LoginWrite(account: account.id, revision: nil))
        machines[0].link.heal()
        let isThere = fault == .lastAnswerLost
        let other = try await fleet.machine(SharedStore.Limits(appearance: .zero))
        let elsewhere = FileVault(other.vault)
        var present = session
        switch meanwhile {
        case .nothing: break
        case .refresh where isThere:
            present = session.renewed("renewed")
            try await elsewhere.save(try await elsewhere.account(account.id), present)
        case .login, .refresh:
            present = try Sessions.session("third")
            let saved = try await elsewhere.saveLogin(try Sessions.account(), present, replacing: true)
            let replaced = saved?.replaced.map(\.session.tokenFingerprint)
            #expect(replaced == (isThere ? [session.tokenFingerprint] : []))
        case .logout:
            if !isThere { return }
            try await elsewhere.remove(account.id)
        }
        let accounts = VaultAccounts(machines[0].vault)
        let finished = try await accounts.finishKept(at: StoreConformance.date) { holder throws(VaultError) in
            try await machines[0].vault.lock(holder.id, timeout: .zero)
        }
        // Another machine has ended it, or given its row away.
        let isOver = meanwhile == .logout || meanwhile != .nothing && !isThere
        #expect(finished.failure == nil && finished.accounts.count == (isOver ? 0 : 1))
        #expect(try machines[0].vault.keptLogins().isEmpty)
        if meanwhile == .logout {
            #expect(try await self.accounts().isEmpty)
        } else {
            let only = try #require(try await self.accounts().first)
            #expect(try await vault(0).newest(only.id).tokenFingerprint == present.tokenFingerprint)
            #expect(try await self.accounts().count == 1)
        }
    }

    @Test(
        "of an account that is there is kept with the revision that it replaces",
        arguments: [FaultyRows.Fault.lastAnswerLost, .lastRequestLost], [false, true])
    func keptReplacement(fault: FaultyRows.Fault, isReplaced: Bool) async throws {
        let first = try #require(
            try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        )
        let id = first.account.id
        let second = try Sessions.session("second")
        machines[0].link.fail(fault)
        let error = await #expect(throws: StoreError.self) {
            try await vault(0).saveLogin(try Sessions.account(), second, replacing: true)
        }
        #expect(error?.code == .kept)
        #expect(try machines[0].vault.keptLogins().first?.write?.revision != nil)
        machines[0].link.heal()
        let third = try Sessions.session("third")
        if isReplaced { _ = try await vault(1).saveLogin(try Sessions.account(), third, replacing: true) }
        let finished = try await VaultAccounts(machines[0].vault).finishKept(at: StoreConformance.date) {
            holder throws(VaultError) in
            try await machines[0].vault.lock(holder.id, timeout: .zero)
        }
        #expect(finished.accounts.map(\.id) == [id] && finished.failure == nil)
        #expect(try machines[0].vault.keptLogins().isEmpty)
        let expected = isReplaced ? third : second
        #expect(try await vault(2).newest(id).tokenFingerprint == expected.tokenFingerprint)
    }

    @Test(
        "that gets no answer, while another one replaces it, leaves no session that no machine ends",
        arguments: [FaultyRows.Fault.answerLost, .requestLost])
    func overtaken(fault: FaultyRows.Fault) async throws {
        let first = try #require(
            try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        )
        let id = first.account.id
        let third = (try Sessions.account(), try Sessions.session("third"))
        let there = Mutex<SavedLogin?>(nil)
        let other = vault(1)
        machines[0].link.fail(fault)
        machines[0].link.meanwhile {
            let saved = try? await other.saveLogin(third.0, third.1, replacing: true)
            there.withLock { $0 = saved }
        }
        let second = try #require(
            try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("two"), replacing: true)
        )
        let elsewhere = try #require(there.withLock { $0 })
        #expect(second.account.id == id && elsewhere.account.id == id)
        #expect(try await vault(2).newest(id).tokenFingerprint == third.1.tokenFingerprint)
        let ended = (second.replaced + elsewhere.replaced).map { $0.session.refreshToken?.reveal() }
        #expect(Set(ended) == ["one-refresh", "two-refresh"])
        #expect(try machines[0].vault.keptLogins().isEmpty)
    }

    // MARK: Logouts, new names and bundles

    @Test("after a logout elsewhere adds a new account, and the row names it") func afterLogout() async throws
    {
        let first = try #require(
            try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        )
        _ = try await vault(1).accounts()
        try await vault(0).remove(first.account.id)
        #expect(try await rows().isEmpty)
        let second = try #require(
            try await vault(1).saveLogin(try Sessions.account(), try Sessions.session("two"), replacing: true)
        )
        #expect(second.account.id != first.account.id)
        #expect(try await accounts().map(\.id) == [second.account.id])
        #expect(try await rows().count == 1)
    }

    @Test("does not undo a new name from another machine, which frees its login") func renamed() async throws
    {
        let first = try #require(
            try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        )
        let id = first.account.id
        _ = try await vault(1).accounts()
        let rules = VaultAccounts(machines[0].vault)
        let lock = try await machines[0].vault.lock(id, timeout: .zero)
        #expect(try await rules.rename(id, to: "job", under: lock).label == "job")
        _ = consume lock
        #expect(try await rows().count == 1)
        let second = try #require(
            try await vault(1).saveLogin(try Sessions.account(), try Sessions.session("two"), replacing: true)
        )
        #expect(second.account.id != id && second.replaced.isEmpty)
        #expect(Set(try await vault(2).accounts().map(\.label)) == ["job", nil])
        #expect(try await rows().count == 2)
        // The name is taken now, wherever somebody looks.
        let there = try await machines[2].vault.lock(id, timeout: .zero)
        await #expect(throws: VaultError.loginTaken(second.account)) {
            _ = try await VaultAccounts(machines[2].vault).rename(id, to: nil, under: there)
        }
        // A server's new facts don't take the new name away either.
        _ = consume there
        try await vault(1).update(try await vault(1).account(id).with(label: "job"))
        #expect(Set(try await vault(2).accounts().map(\.label)) == ["job", nil])
    }

    @Test("an imported account has its row, and is refused while another account has the login")
    func imported() async throws {
        let bundle = (try Sessions.account(), try Sessions.session("bundle"))
        let rules = VaultAccounts(machines[0].vault)
        #expect(try await rules.add(bundle.0, bundle.1, imported: 5) == nil)
        #expect(try await rows().count == 1)
        let other = try Sessions.account()
        #expect(
            try await VaultAccounts(machines[1].vault).add(other, bundle.1, imported: 5)?.id == bundle.0.id)
        try await vault(1).remove(bundle.0.id)
        // An account that was logged out of may be imported again.
        #expect(try await vault(0).accounts().isEmpty)
        #expect(try await rules.add(bundle.0, bundle.1, imported: 7) == nil)
        #expect(try await vault(2).accounts().map(\.id) == [bundle.0.id])
    }

    @Test("an account of a bundle does not come back over the logout that its lost answer met")
    func importedAndGone() async throws {
        let (account, session) = (try Sessions.account(), try Sessions.session("bundle"))
        let other = vault(1)
        machines[0].link.failAt(write: 2, with: .answerLost)
        machines[0].link.meanwhile {
            _ = try? await other.accounts()
            try? await other.remove(account.id)
        }
        await #expect(throws: VaultError.overtaken) {
            _ = try await VaultAccounts(machines[0].vault).add(account, session, imported: 5)
        }
        for number in 0..<3 { #expect(try await vault(number).accounts().isEmpty) }
        #expect(try await records() == 2)
    }

    @Test("an update by a process that read an earlier label leaves the label") func staleLabel() async throws
    {
        let account = try Sessions.account()
        _ = try await vault(0).saveLogin(account, try Sessions.session("one"), replacing: true)
        let lock = try await machines[0].vault.lock(account.id, timeout: .zero)
        _ = try await VaultAccounts(machines[0].vault).rename(account.id, to: "job", under: lock)
        _ = consume lock
        var moved = account
        moved.handle = Handle("new.example.com")
        try await vault(0).update(moved)
        try await vault(0).save(moved, try Sessions.session("two"))
        let found = try await vault(1).account(account.id)
        #expect(found.label == "job" && found.handle == moved.handle)
        #expect(try await rows().count == 1)
    }

    @Test("finds its account where the copy still has an earlier label") func earlierLabel() async throws {
        let first = try #require(
            try await vault(0).saveLogin(
                try Sessions.account(), try Sessions.session("one"), replacing: true))
        let id = first.account.id
        _ = try await vault(1).accounts()
        let lock = try await machines[0].vault.lock(id, timeout: .zero)
        _ = try await VaultAccounts(machines[0].vault).rename(id, to: "job", under: lock)
        _ = consume lock
        // The library does not look for the changes of other machines before a login.
        let second = try #require(
            try await vault(1).saveLogin(
                try Sessions.account().with(label: "job"), try Sessions.session("two"), replacing: true))
        #expect(second.account.id == id && second.account.label == "job")
        #expect(second.replaced.map { $0.session.refreshToken?.reveal() } == ["one-refresh"])
    }

    @Test("an account that comes back after a logout is no rollback for a machine that missed the logout")
    func comesBack() async throws {
        let (account, session) = (try Sessions.account(), try Sessions.session("one"))
        _ = try await vault(0).saveLogin(account, session, replacing: true)
        for name in ["two", "three"] { try await vault(0).save(account, try Sessions.session(name)) }
        _ = try await vault(1).accounts()
        try await vault(0).remove(account.id)
        let back = try Sessions.session("back")
        #expect(try await vault(0).saveLogin(account, back, replacing: false) != nil)
        #expect(try await vault(1).newest(account.id).tokenFingerprint == back.tokenFingerprint)
    }

    @Test("is saved after all if the store that may have it never returns") func abandonedStore() async throws
    {
        let (account, session) = (try Sessions.account(), try Sessions.session("one"))
        machines[0].link.failAt(write: 2, with: .lastRequestLost)
        await #expect(throws: StoreError.self) {
            try await vault(0).saveLogin(account, session, replacing: true)
        }
        try await machines[0].vault.abandonStore()
        let alone = try CredentialVault.open(
            at: machines[0].vault.home, key: .keyFile(path: "\(fleet.directory.path)/key"))
        let finished = try await VaultAccounts(alone).finishKept(at: StoreConformance.date) {
            holder throws(VaultError) in
            try await alone.lock(holder.id, timeout: .zero)
        }
        #expect(finished.accounts.map(\.id) == [account.id] && finished.failure == nil)
        #expect(try await FileVault(alone).session(account.id).tokenFingerprint == session.tokenFingerprint)
    }

    // MARK: The store

    @Test("costs two writes") func cost() async throws {
        let before = machines[0].link.operations
        _ = try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        #expect(machines[0].link.operations == before + 2)
    }

    @Test("says nothing to the operator of the store, and a changed row is refused") func sealed()
        async throws
    {
        _ = try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        let row = try #require(try await rows().first)
        #expect(row.key.hasPrefix("logins/") && row.key.count == 71 && row.expiry == nil)
        #expect(!String(decoding: row.value, as: UTF8.self).contains("did:"))
        for index in row.value.indices {
            var changed = row.value
            changed[index] ^= 1
            try await fleet.rows.put(row.key, changed, if: .always)
            await #expect(throws: StoreError.self) {
                try await vault(1).saveLogin(
                    try Sessions.account(), try Sessions.session("x"), replacing: true)
            }
        }
        #expect(try await records() == 2)
        #expect(try machines[1].vault.keptLogins().isEmpty)
    }

    @Test("has a row also if an older program has added its account") func olderProgram() async throws {
        let saved = try #require(
            try await vault(0).saveLogin(try Sessions.account(), try Sessions.session("one"), replacing: true)
        )
        for row in try await rows() { try await fleet.rows.delete(row.key, if: .always) }
        #expect(try await vault(1).accounts().map(\.id) == [saved.account.id])
        #expect(try await rows().count == 1)
        let third = try await vault(2).saveLogin(
            try Sessions.account(), try Sessions.session("two"), replacing: true)
        #expect(third?.account.id == saved.account.id)
        // An older program logs out of an account, and leaves its row. Another one has added the login again.
        let row = try #require(try await rows().first)
        try await vault(2).remove(saved.account.id)
        let again = try Sessions.account()
        _ = try await vault(2).saveLogin(again, try Sessions.session("three"), replacing: true)
        try await fleet.rows.put(row.key, row.value, if: .always)
        #expect(try await vault(1).accounts().map(\.id) == [again.id])
        #expect(try await rows().first?.value != row.value)
        // The end of the sharing leaves no row, and the next sharing makes them.
        _ = try await vault(0).accounts()
        try await machines[0].vault.unshare()
        #expect(try await fleet.rows.list("", after: nil, limit: 10).map(\.key) == ["vault"])
    }
}
