import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("Kept logins") struct KeptLoginTests {
    let world: World
    let id: UUID

    private var accounts: VaultAccounts { world.accounts }

    init() async throws {
        world = try World()
        id = try await world.add(World.session())
    }

    /// Logs in while the account's lock is held. `meanwhile` runs when the login asks for the lock.
    private func login(
        meanwhile: (consuming AccountLock) async throws -> AccountLock
    ) async throws -> VaultAccounts.Saved {
        var held: AccountLock? = try await accounts.lock(id, timeout: .zero)
        return try await accounts.saveLogin(World.account(), World.session("new"), at: World.start) {
            _ async throws(VaultError) in
            do { return try await meanwhile(held.take()!) } catch let error as VaultError {
                throw error
            } catch {
                Issue.record(error)
                throw .cancelled
            }
        }
    }

    @Test("is durable before the wait, and gone after it") func kept() async throws {
        let saved = try await login { (lock: consuming AccountLock) async throws -> AccountLock in
            #expect(try accounts.vault.keptLogins().count == 1)
            #expect(try accounts.session(id).name == "first")
            return lock
        }
        #expect(saved.account.id == id && saved.replaced.map(\.session.name) == ["first"])
        #expect(try accounts.vault.keptLogins().isEmpty && accounts.session(id).name == "new")
    }

    @Test("that another process finished does not put its spent tokens back") func finishedElsewhere()
        async throws
    {
        let saved = try await login { (lock: consuming AccountLock) async throws -> AccountLock in
            _ = consume lock
            let finished = try await accounts.finishKeptLogins(at: World.start) { _ throws(VaultError) in
                throw VaultError.busy(holder: nil)
            }
            #expect(finished.accounts.map(\.id) == [id] && finished.failure == nil)
            #expect(try accounts.session(id).name == "new")
            try await world.store(World.session("refreshed"), of: id)
            return try await accounts.lock(id, timeout: .zero)
        }
        #expect(saved.session.name == "refreshed" && saved.replaced.isEmpty)
        #expect(try accounts.session(id).name == "refreshed")
    }

    @Test("of an account that was removed becomes an account") func removedMeanwhile() async throws {
        let saved = try await login { (lock: consuming AccountLock) async throws -> AccountLock in
            try accounts.removeHere(accounts.account(id), under: lock)
            throw VaultError.noSuchAccount(id)
        }
        #expect(saved.account.id != id)
        #expect(try accounts.vault.accounts() == [saved.account.id])
        #expect(try accounts.vault.keptLogins().isEmpty)
    }

    @Test("that can't be saved is kept, and its tokens are not revoked") func unsaved() async throws {
        world.network.answer(World.token, try Transcript.answer("301-token-ok"))
        world.approve()
        let directory = accounts.vault.directory(of: id)
        let lock = try await accounts.lock(id, timeout: .zero)
        let login = Task { try await world.login("alice.example.com") }
        while try accounts.vault.keptLogins().isEmpty { await Task.yield() }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        _ = consume lock
        let error = await #expect(throws: CoreError.self) { _ = try await login.value }
        guard case .loginKept(_, because: VaultError.unsafePermissions)? = error else {
            Issue.record("expected .loginKept, not \(String(describing: error))")
            return
        }
        #expect(world.network.requests(to: World.revoke).isEmpty)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
        let finished = try await accounts.finishKeptLogins(at: World.start) { _ throws(VaultError) in
            throw VaultError.busy(holder: nil)
        }
        #expect(finished.accounts.map(\.id) == [id] && finished.failure == nil)
        #expect(try accounts.session(id).name != "first")
    }

    @Test("the latest of two is the session; a damaged one is discarded") func two() async throws {
        for (name, seconds) in [("second", 2.0), ("third", 3.0), ("early", 1.0)] {
            let login = try World.account()
            let kept = KeptLogin(
                id: login.id, profile: login.record, session: try World.session(name).record)
            try accounts.vault.keep(kept, at: World.start.addingTimeInterval(seconds))
        }
        let damaged = accounts.vault.home + "/logins/" + UUID().text
        try Data("nonsense".utf8).write(to: URL(filePath: damaged))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: damaged)
        #expect(try accounts.vault.check().findings.map(\.file) == [damaged])
        #expect(try accounts.vault.discardDamagedLogins().map(\.file) == [damaged])
        let finished = try await accounts.finishKeptLogins(at: World.start) { _ throws(VaultError) in
            throw VaultError.busy(holder: nil)
        }
        #expect(finished.accounts.map(\.id) == [id] && finished.failure == nil)
        #expect(try accounts.session(id).name == "third")
        #expect(try accounts.vault.keptLogins().isEmpty)
    }

    @Test("that was saved before a kill is not written over the tokens of a later refresh")
    func savedBeforeAKill()
        async throws
    {
        let (login, session) = (try World.account(), try World.session("new"))
        let kept = KeptLogin(id: login.id, profile: login.record, session: session.record)
        try accounts.vault.keep(kept, at: World.start)
        // The login was saved, and its file stayed. Then the session was refreshed.
        let refreshed = Session(
            credential: session.credential, createdAt: session.createdAt,
            accessToken: AccessToken("refreshed-access"), refreshToken: RefreshToken("refreshed-refresh"),
            accessExpiresAt: session.accessExpiresAt, obtainedAt: session.obtainedAt, scope: session.scope)
        try await world.store(refreshed, of: id)
        let finished = try await accounts.finishKeptLogins(at: World.start) { _ throws(VaultError) in
            throw VaultError.busy(holder: nil)
        }
        #expect(finished.accounts.map(\.id) == [id])
        #expect(try accounts.session(id).name == "refreshed")
        #expect(try accounts.vault.keptLogins().isEmpty)
    }

    @Test("whose account was renamed after another process had saved it adds no second account")
    func renamedAfterwards() async throws {
        // This error keeps LoginFlow from revoking the tokens, which the account has.
        let error = await #expect(throws: CoreError.self) {
            _ = try await login { (lock: consuming AccountLock) async throws -> AccountLock in
                _ = consume lock
                _ = try await accounts.finishKeptLogins(at: World.start) { _ throws(VaultError) in
                    throw VaultError.busy(holder: nil)
                }
                _ = try await accounts.rename(accounts.account(id), to: "job", lockTimeout: .zero)
                return try await accounts.lock(id, timeout: .zero)
            }
        }
        guard case .loginKept? = error else {
            Issue.record("expected .loginKept, not \(String(describing: error))")
            return
        }
        #expect(try accounts.vault.accounts() == [id])
    }

    @Test("that can't be read does not hold up the others") func unreadable() async throws {
        let login = try World.account()
        let kept = KeptLogin(id: login.id, profile: login.record, session: try World.session("new").record)
        try accounts.vault.keep(kept, at: World.start)
        let foreign = KeptLogin(id: UUID(), profile: login.record, session: login.record)
        try accounts.vault.keep(foreign, at: World.start.addingTimeInterval(1))
        let finished = try await accounts.finishKeptLogins(at: World.start) { _ throws(VaultError) in
            throw VaultError.busy(holder: nil)
        }
        #expect(finished.accounts.map(\.id) == [id] && finished.failure != nil)
    }
}
