import ATPNetworking
import ATProtoIdentity
import ATProtoOAuth
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Synchronization
import Testing

/// Sessions for stores.
enum Sessions {
    static let did = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    static let pds = "https://pds.example.com"

    static func account() throws -> Account {
        Account(
            id: UUID(), did: try #require(DID(did)), handle: Handle("alice.example.com"), label: nil,
            pds: try HTTPURL(validating: pds).origin, devNetwork: nil, addedAt: StoreConformance.date)
    }

    static func session(
        _ name: String, expiresAt: Date = StoreConformance.date.addingTimeInterval(3600)
    ) throws -> Session {
        let issuer = try Issuer(
            validating: "https://pds.example.com", profile: .atproto, policy: NetworkPolicy())
        let client = Client(ClientID("http://localhost?scope=atproto"))
        let credential = OAuthCredential(issuer: issuer, client: client, key: try DPoPKey())
        return Session(
            credential: .oauth(credential), createdAt: StoreConformance.date,
            accessToken: AccessToken("\(name)-access"), refreshToken: RefreshToken("\(name)-refresh"),
            accessExpiresAt: expiresAt,
            obtainedAt: StoreConformance.date, scope: Scope("atproto"))
    }
}

extension StoredSessions {
    /// A store in memory with one session.
    static func holding(_ session: Session) async throws -> (StoredSessions, UUID) {
        let (store, account) = (StoredSessions(MemoryStorage()), try Sessions.account())
        try await store.save(account, session)
        return (store, account.id)
    }
}

extension Session {
    /// The session after a rotation.
    func renewed(_ name: String) -> Session {
        Session(
            credential: credential, createdAt: createdAt, accessToken: AccessToken("\(name)-access"),
            refreshToken: RefreshToken("\(name)-refresh"), accessExpiresAt: accessExpiresAt,
            obtainedAt: obtainedAt, scope: scope)
    }
}

/// Rotates a session as another process does, which knows only the folder of the vault.
///
/// - Parameter meanwhile: runs while the token is out.
private func rotate(
    inVaultAt path: String, _ id: String, meanwhile: @escaping @Sendable () -> Void = {}
) async throws {
    let store = try TestVault(reopening: path).store
    let id = try #require(UUID(uuidString: id))
    let first = try await store.session(id)
    _ = try await store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
        do { _ = try await permit.spend(at: StoreConformance.date) } catch { return .notSpent }
        meanwhile()
        return .rotated(first.renewed("second"))
    }
}

@Suite("A session store") struct SessionStoreTests {
    @Test("in memory keeps every rule") func memory() async throws {
        let conformance = StoreConformance { try await StoredSessions.holding($0) }
        #expect(try await conformance.broken() == [])
    }

    @Test("in a vault keeps every rule") func vault() async throws {
        let directory = try TemporaryDirectory()
        let vault = try TestVault(in: directory)
        let conformance = StoreConformance { (vault.store, try vault.add($0)) }
        #expect(try await conformance.broken() == [])
    }

    @Test("in a vault has a result durably before it returns, so a kill right after it loses nothing")
    func killed() async throws {
        let directory = try TemporaryDirectory()
        let vault = try TestVault(in: directory)
        let first = try Sessions.session("first")
        let id = try vault.add(first)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = directory.path as String, id = id.uuidString as String] in
            try await rotate(inVaultAt: path, id)
            raise(SIGKILL)
        }
        let stored = try await vault.store.session(id)
        #expect(stored.refreshToken == RefreshToken("second-refresh"))
    }

    @Test(
        "in a vault notes the attempt durably before it gives the token, so a kill while it is out is known")
    func killedWhileSending() async throws {
        let directory = try TemporaryDirectory()
        let vault = try TestVault(in: directory)
        let first = try Sessions.session("first")
        let id = try vault.add(first)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = directory.path as String, id = id.uuidString as String] in
            try await rotate(inVaultAt: path, id) { raise(SIGKILL) }
        }
        let earlier = Mutex<RotationIntent?>(nil)
        _ = try await vault.store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
            earlier.withLock { $0 = permit.earlier }
            return .notSpent
        }
        #expect(earlier.withLock { $0?.attempt } == 1)
    }

    @Test("in a vault gives no token away if another session was stored meanwhile without the lock")
    func otherToken() async throws {
        let directory = try TemporaryDirectory()
        let vault = try TestVault(in: directory)
        let first = try Sessions.session("first")
        let id = try vault.add(first)
        let isRefused = Mutex(false)
        _ = try await vault.store.rotate(id, holding: first.tokenFingerprint, waiting: .zero) { permit in
            do {
                try vault.replaceWithoutLock(first.renewed("other"), of: id)
                _ = try await permit.spend(at: StoreConformance.date)
            } catch {
                isRefused.withLock { $0 = (error as? StoreError)?.code == .notBegun }
            }
            return .notSpent
        }
        #expect(isRefused.withLock { $0 })
        #expect(try await vault.store.session(id).refreshToken == RefreshToken("other-refresh"))
    }

    @Test("that is only an actor is caught, because it is entered again while a token is out")
    func onlyAnActor() async throws {
        let conformance = StoreConformance { session in
            let (store, id) = (OnlyAnActor(), UUID())
            await store.store(session, for: id)
            return (store, id)
        }
        #expect(try await conformance.broken().isSuperset(of: [.oneSpends, .busy]))
    }

    @Test("keeps accounts with their sessions, in memory and in a vault", arguments: ["memory", "vault"])
    func accounts(place: String) async throws {
        let directory = try TemporaryDirectory()
        func open() async throws -> any SessionStore {
            try await FileVault.open(
                at: directory.path + "/vault", key: .keyFile(directory.path + "/key"))
        }
        if place == "vault" { _ = try TestVault(in: directory) }
        let store: any SessionStore =
            if place == "vault" { try await open() } else { StoredSessions(MemoryStorage()) }
        let (alice, other) = (try Sessions.account(), try Sessions.account())
        try await store.save(alice, try Sessions.session("first"))
        try await store.save(other, try Sessions.session("other"))
        #expect(Set(try await store.accounts()) == [alice, other])

        // A new login replaces the session. An update leaves it, and the label, which another process may have changed.
        try await store.save(alice, try Sessions.session("second"))
        var moved = alice.with(label: "work")
        moved.handle = Handle("new.example.com")
        try await store.update(moved)
        #expect(try await store.account(alice.id).handle == moved.handle)
        #expect(try await store.account(alice.id).label == alice.label)
        #expect(try await store.session(alice.id).refreshToken == RefreshToken("second-refresh"))
        if place == "vault" { #expect(try await open().accounts().count == 2) }

        try await store.remove(alice.id)
        try await store.remove(alice.id)
        #expect(try await store.accounts() == [other])
        for read in [{ _ = try await store.session(alice.id) }, { try await store.update(alice) }] {
            let error = await #expect(throws: StoreError.self) { try await read() }
            #expect(error?.code == .noSuchSession)
        }
    }

    @Test(
        "over texts never has a new session with earlier facts, whichever write is the last",
        .covers("G4"), arguments: 0...3)
    func interruptedLogin(writes: Int) async throws {
        let storage = InterruptedStorage()
        var alice = try Sessions.account()
        try await StoredSessions(storage).save(alice, try Sessions.session("first"))
        alice.handle = Handle("new.example.com")
        storage.stop(after: writes)
        let second = try Sessions.session("second")
        if writes < 2 {
            await #expect(throws: StoreError.self) { try await StoredSessions(storage).save(alice, second) }
        } else {
            try await StoredSessions(storage).save(alice, second)
        }
        storage.stop(after: .max)
        let (account, session) = (
            try await StoredSessions(storage).account(alice.id),
            try await StoredSessions(storage).session(alice.id)
        )
        #expect((session.refreshToken == RefreshToken("second-refresh")) == (writes >= 2))
        #expect((account.handle == alice.handle) == (writes >= 1))
    }

    @Test("over texts has a session with each new account, whichever write is the last", arguments: 0...2)
    func interruptedFirstLogin(writes: Int) async throws {
        let storage = InterruptedStorage()
        storage.stop(after: writes)
        let alice = try Sessions.account()
        do { try await StoredSessions(storage).save(alice, try Sessions.session("first")) } catch {
            #expect(writes < 2)
        }
        storage.stop(after: .max)
        let accounts = try await StoredSessions(storage).accounts()
        #expect(accounts.count == (writes < 2 ? 0 : 1))
        for account in accounts { _ = try await StoredSessions(storage).session(account.id) }
    }

    @Test(
        "saves logins at once as one account, and each replaced session once", arguments: ["memory", "vault"])
    func loginsAtOnce(place: String) async throws {
        let directory = try TemporaryDirectory()
        let (folder, key) = (directory.path + "/vault", VaultKey.keyFile(directory.path + "/key"))
        if place == "vault" { _ = try await FileVault.create(at: folder, key: key) }
        let memory = StoredSessions(MemoryStorage())
        let logins = try (0..<12).map { (try Sessions.account(), try Sessions.session("login-\($0)")) }
        let saved = try await withThrowingTaskGroup(of: SavedLogin?.self) { group in
            for (account, session) in logins {
                group.addTask {
                    // As another process does, which knows only the folder.
                    let store: any SessionStore =
                        place == "vault" ? try await FileVault.open(at: folder, key: key) : memory
                    return try await store.saveLogin(account, session, replacing: true)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let store: any SessionStore =
            place == "vault" ? try await FileVault.open(at: folder, key: key) : memory
        let account = try #require(try await store.accounts().first)
        #expect(try await store.accounts().count == 1 && saved.allSatisfy { $0?.account.id == account.id })
        let last = try await store.session(account.id).tokenFingerprint
        let replaced = saved.flatMap { $0?.replaced ?? [] }.map(\.session.tokenFingerprint)
        #expect((replaced + [last]).sorted() == logins.map(\.1.tokenFingerprint).sorted())
        // Without leave to replace, nothing of another login is saved: not of the same account, nor over its UUID.
        let other = try Sessions.session("other")
        #expect(try await store.saveLogin(try Sessions.account(), other, replacing: false) == nil)
        #expect(try await store.saveLogin(account.with(label: "x"), other, replacing: false) == nil)
        #expect(try await store.session(account.id).tokenFingerprint == last)
        #expect(try await store.account(account.id).label == nil)
    }

    @Test("in a vault keeps a login that can't replace its account, and the next login ends it")
    func keptLogin() async throws {
        let directory = try TemporaryDirectory()
        let vault = try TestVault(in: directory)
        let (alice, first) = (try Sessions.account(), try Sessions.session("first"))
        _ = try await vault.store.saveLogin(alice, first, replacing: true)
        // Others may read the account's folder, so nothing is written to it.
        let folder = vault.vault.directory(of: alice.id)
        let lock = try await vault.vault.lock(alice.id, timeout: .zero)
        let waiting = Task {
            try await vault.store.saveLogin(
                try Sessions.account(), try Sessions.session("second"), replacing: true)
        }
        while try vault.vault.keptLogins().isEmpty { await Task.yield() }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        _ = consume lock
        let error = await #expect(throws: StoreError.self) { try await waiting.value }
        #expect(error?.code == .kept && error?.isPassing == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        #expect(try await vault.store.session(alice.id).tokenFingerprint == first.tokenFingerprint)
        let saved = try await vault.store.saveLogin(
            try Sessions.account(), try Sessions.session("third"), replacing: true)
        #expect(saved?.account.id == alice.id)
        #expect(
            saved?.replaced.map { $0.session.refreshToken?.reveal() } == ["first-refresh", "second-refresh"])
        #expect(try vault.vault.keptLogins().isEmpty)
    }

    @Test("finds the accounts with a DID, in memory and in a vault", arguments: ["memory", "vault"])
    func accountsOfDID(place: String) async throws {
        let directory = try TemporaryDirectory()
        if place == "vault" { _ = try TestVault(in: directory) }
        let key = VaultKey.keyFile(directory.path + "/key")
        let store: any SessionStore =
            place == "vault"
            ? try await FileVault.open(at: directory.path + "/vault", key: key)
            : StoredSessions(MemoryStorage())
        let (one, two) = (try Sessions.account(), try Sessions.account())
        for account in [one, two] { try await store.save(account, try Sessions.session("x")) }
        #expect(Set(try await store.accounts(of: one.did)) == [one, two])
        #expect(try await store.accounts(of: try #require(DID("did:web:example.com"))).isEmpty)
        guard place == "vault" else { return }
        // A damaged account is not in the way of the others.
        let file = "\(directory.path)/vault/accounts/\(one.id.uuidString.lowercased())/profile"
        for file in [file, file + ".copy"] { try Data("damage".utf8).write(to: URL(filePath: file)) }
        #expect(try await store.accounts(of: one.did) == [two])
        #expect(try await store.accounts() == [two])
    }

    @Test("in a vault is opened only with its key, and made only where there is none") func opening()
        async throws
    {
        let directory = try TemporaryDirectory()
        let (folder, key) = (directory.path + "/vault", directory.path + "/key")
        func problem(_ body: () async throws(StoreError) -> FileVault) async -> String? {
            do { _ = try await body() } catch { return error.code == .notOpened ? "\(error)" : nil }
            return nil
        }
        let words = "the store could not be opened: "
        let absent = await #expect(throws: StoreError.self) {
            try await FileVault.open(at: folder, key: .keyFile(key))
        }
        #expect(absent?.code == .missing)
        #expect(absent?.description == "there is no store: there is no vault in \(folder)")
        #expect(
            await problem { () throws(StoreError) in try await .create(at: folder, key: .passphrase("")) }
                == words + "the passphrase is empty")
        #expect(!FileManager.default.fileExists(atPath: folder))
        _ = try await FileVault.create(at: folder, key: .keyFile(key))
        #expect(
            await problem { () throws(StoreError) in try await .create(at: folder, key: .keyFile(key)) }
                == words + "there is a vault in \(folder) already")
        _ = try await FileVault.create(at: directory.path + "/2", key: .keyFile(key + "2"))
        #expect(
            await problem { () throws(StoreError) in try await .open(at: folder, key: .keyFile(key + "2")) }
                == words + "the key file \(key)2 does not open this vault")
        #expect(
            await problem { () throws(StoreError) in try await .open(at: folder, key: .passphrase("x")) }
                == words + "a key of another kind opens this vault: a passphrase, or a key file")
    }

    @Test("that makes a mistake is caught", arguments: Mistake.allCases) func mistaken(mistake: Mistake)
        async throws
    {
        let conformance = StoreConformance { session in
            let (turns, id) = try await StoredSessions.holding(session)
            return (Mistaken(mistake: mistake, turns: turns), id)
        }
        #expect(try await conformance.broken().isSuperset(of: mistake.breaks))
    }
}

/// What a store that lets one caller in at a time may still do wrong.
enum Mistake: CaseIterable, Sendable {
    case forgetsWhatWasSpent, losesTheNewSession, ignoresWhatTheCallerHolds, notesWhatWasNotSent
    case stopsWhenCancelled, knowsEveryAccount

    var breaks: Set<StoreConformance.Rule> {
        switch self {
        case .forgetsWhatWasSpent: [.unanswered, .counted, .answered, .earlierStays]
        case .losesTheNewSession: [.oneSpends, .rotated, .otherTokens, .ended, .cancelled]
        case .ignoresWhatTheCallerHolds: [.otherTokens]
        case .notesWhatWasNotSent: [.notSpent]
        case .stopsWhenCancelled: [.cancelled]
        case .knowsEveryAccount: [.unknownAccount]
        }
    }
}

/// A store with the mistake that is nearest at hand: an actor excludes no other task while it waits.
private actor OnlyAnActor: RotationStore {
    private var sessions: [UUID: Session] = [:]
    private var intents: [UUID: RotationIntent] = [:]

    func store(_ session: Session, for id: UUID) { sessions[id] = session }

    func session(_ id: UUID) async throws(StoreError) -> Session {
        guard let session = sessions[id] else { throw StoreError(.noSuchSession, CancellationError()) }
        return session
    }

    private func note(_ intent: RotationIntent?, of id: UUID) { intents[id] = intent }

    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        let stored = try await session(id)
        guard stored.tokenFingerprint == holding else { return stored }
        let earlier = intents[id]
        let permit = RotationPermit(session: stored, earlier: earlier) { await self.note($0, of: id) }
        switch await spend(permit) {
        case .rotated(let session), .ended(let session, _):
            sessions[id] = session
            intents[id] = nil
        case .notSpent: intents[id] = earlier
        case .unknown(let answer):
            intents[id] = intents[id]?.answered(answer)
        }
        return try await session(id)
    }
}

/// A store that excludes others, and makes one mistake.
private struct Mistaken: RotationStore {
    let mistake: Mistake
    let turns: StoredSessions

    func session(_ id: UUID) async throws(StoreError) -> Session { try await turns.session(id) }

    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        if mistake == .knowsEveryAccount { throw StoreError(.failed, CancellationError()) }
        let present = try await session(id).tokenFingerprint
        let held = mistake == .ignoresWhatTheCallerHolds ? present : holding
        return try await turns.rotate(id, holding: held, waiting: limit) { permit in
            let result = await spend(permit)
            switch (mistake, result) {
            case (.forgetsWhatWasSpent, .unknown), (.losesTheNewSession, .rotated),
                (.losesTheNewSession, .ended):
                return .notSpent
            case (.notesWhatWasNotSent, .notSpent): return .unknown(nil)
            case (.stopsWhenCancelled, _) where Task.isCancelled: return .notSpent
            default: return result
            }
        }
    }
}

/// A place for texts that fails for good after so many writes, as a process that is killed then.
private final class InterruptedStorage: SecretStorage {
    private let memory = MemoryStorage()
    private let left = Mutex(Int.max)

    func stop(after writes: Int) { left.withLock { $0 = writes } }

    func text(_ name: String) async throws -> String? { memory.text(name) }
    func remove(_ name: String) async throws { memory.remove(name) }
    func names() async throws -> [String] { memory.names() }

    func write(_ text: String, as name: String) async throws {
        let mayWrite = left.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        guard mayWrite else { throw CocoaError(.fileWriteUnknown) }
        memory.write(text, as: name)
    }
}
