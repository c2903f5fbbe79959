import ATPNetworking
import ATProtoSessions
import BskyAuthRows
import BskyAuthSQLiteRows
import Foundation
import Logging
import OAuthDPoP
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite final class LoginsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "logins-\(UUID())").path
    private let world = World()
    private let rows: SQLiteRows
    private let logins: Logins
    private let sessions: Sessions
    private let page = Logins.Landing.page(path: "/x")
    private let verifier = String(repeating: "v", count: 43)

    init() throws {
        rows = try SQLiteRows(in: folder + "/rows") { [world] in world.now }
        var file = try KeyFile(.sealing, in: folder)
        _ = try file.add(at: world.now)
        let (ring, book) = (try SealingRing(file), SessionBook(rows: rows) { [world] in world.now })
        logins = Logins(rows: rows, ring: ring, client: world, book: book, accounts: world) { [world] in
            world.now
        }
        sessions = Sessions(
            book: book, ring: ring, accounts: world, lastUse: LastUse(rows: rows), idle: .seconds(1000),
            ttl: .seconds(9000), log: Logger(label: "test")
        ) { [world] in world.now }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func app(adding: UUID? = nil) -> Logins.Landing {
        .app(name: "ios", redirect: "a.b:/c", challenge: Digest.text(of: verifier), adding: adding)
    }

    /// A code that waits for its exchange.
    private func code() async throws -> String {
        _ = try await logins.begin("alice.test", landing: app(), browser: nil)
        guard
            case .app(_, let redirect) = try await logins.complete(
                "state=\(world.state)&code=c", browser: nil
            ).end
        else {
            throw Problem.broken
        }
        return try #require(redirect.firstMatch(of: /code=([^&]*)/).map { String($0.1) })
    }

    private func refusal(_ work: () async throws -> Void) async throws -> String? {
        do { try await work() } catch let problem as Problem { return problem.code }
        return nil
    }

    @Test("a login expires after ten minutes, and is not sent anywhere then")
    func expires() async throws {
        _ = try await logins.begin("alice.test", landing: page, browser: "secret")
        world.advance(599)
        let first = world.state
        _ = try await logins.begin("alice.test", landing: page, browser: "secret")
        guard case .browser = try await logins.complete("state=\(first)&code=c", browser: "secret").end else {
            return #expect(Bool(false))
        }
        world.advance(600)
        let late = try await refusal {
            _ = try await self.logins.complete("state=\(self.world.state)&code=c", browser: "secret")
        }
        #expect(late == "login_expired")
        #expect(world.completed == 1)
    }

    @Test("a login of a page completes only with the cookie of its browser, once")
    func browser() async throws {
        _ = try await logins.begin("alice.test", landing: page, browser: "secret")
        let query = "state=\(world.state)&code=c"
        for other in [nil, "", "Secret", Digest.text(of: "secret")] as [String?] {
            #expect(
                try await refusal { _ = try await self.logins.complete(query, browser: other) }
                    == "another_browser")
        }
        #expect(world.completed == 0)
        _ = try await logins.complete(query, browser: "secret")
        #expect(
            try await refusal { _ = try await self.logins.complete(query, browser: "secret") }
                == "login_expired")
        #expect(world.completed == 1)
    }

    @Test("a login of a page without a browser is refused")
    func unbound() async throws {
        await #expect(throws: Problem.self) {
            _ = try await self.logins.begin("alice.test", landing: self.page, browser: nil)
        }
    }

    @Test("of redirects that arrive at the same time one is sent on")
    func races() async throws {
        _ = try await logins.begin("alice.test", landing: app(), browser: nil)
        let query = "state=\(world.state)&code=c"
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { [logins] in _ = try? await logins.complete(query, browser: nil) }
            }
        }
        #expect(world.completed == 1)
    }

    @Test("each login has a label of its own, and its row holds no secret in clear")
    func secrets() async throws {
        _ = try await logins.begin("alice.test", landing: page, browser: "secret")
        _ = try await logins.begin("alice.test", landing: page, browser: "secret")
        #expect(Set(world.labels).count == 2)
        for row in try await rows.list("", after: nil, limit: 9) {
            let text = row.key + String(decoding: row.value, as: UTF8.self)
            for secret in [world.state, "secret", "verifier", "\"d\""] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test("a failure is told to the app, and nothing else")
    func denied() async throws {
        _ = try await logins.begin("alice.test", landing: app(), browser: nil)
        world.outcome.withLock { $0 = nil }
        do {
            _ = try await logins.complete("state=\(world.state)", browser: nil)
            Issue.record("the login is complete")
        } catch let problem as Problem {
            #expect(problem.redirect == "a.b:/c?error=server_error")
        }
    }

    @Test("a code lasts for a minute")
    func codes() async throws {
        let first = try await code()
        world.advance(59)
        let spent = try await logins.spend(first, verifier: verifier)
        #expect(spent.app == "ios")
        #expect(
            try await refusal { _ = try await self.logins.spend(first, verifier: self.verifier) }
                == "invalid_code")
        let second = try await code()
        world.advance(60)
        #expect(
            try await refusal { _ = try await self.logins.spend(second, verifier: self.verifier) }
                == "invalid_code")
    }

    @Test("a verifier has the form of RFC 7636")
    func verifiers() async throws {
        for (text, isGood) in [
            (String(repeating: "v", count: 42), false), (String(repeating: "v", count: 129), false),
            (String(repeating: "v", count: 42) + "!", false), (String(repeating: "~", count: 128), true),
        ] {
            _ = try await logins.begin(
                "alice.test",
                landing: .app(name: "ios", redirect: "a.b:/c", challenge: Digest.text(of: text), adding: nil),
                browser: nil)
            guard
                case .app(_, let redirect) = try await logins.complete(
                    "state=\(world.state)&code=c", browser: nil
                ).end
            else {
                return #expect(Bool(false))
            }
            let code = try #require(redirect.firstMatch(of: /code=([^&]*)/).map { String($0.1) })
            let refused = try await refusal { _ = try await self.logins.spend(code, verifier: text) }
            #expect((refused == nil) == isGood, "\(text)")
        }
    }

    @Test("an account without a session is ended with its person's others")
    func everywhere() async throws {
        _ = try await code()
        let waiting = try #require(world.last)
        let entry = AppSession.Entry(id: UUID(), did: waiting.did)
        let grant = try await sessions.begin(entry, in: "ios", adding: nil)
        let found = try await sessions.open(grant.text)
        let left = try await sessions.logOutEverywhere(from: found)
        #expect(left?.text == nil)
        #expect(Set(world.loggedOut) == [waiting.id, entry.id])
        #expect(try await rows.list("owner/", after: nil, limit: 9).isEmpty)
    }

    @Test("a login that comes while the session changes is not lost")
    func adding() async throws {
        let alice = AppSession.Entry(id: UUID(), did: "did:plc:alice")
        let grant = try await sessions.begin(alice, in: "ios", adding: nil)
        let stale = try await sessions.open(grant.text)
        _ = try await sessions.begin(
            AppSession.Entry(id: UUID(), did: "did:plc:bob"), in: "ios", adding: stale)
        let carol = AppSession.Entry(id: UUID(), did: "did:plc:carol")
        let last = try await sessions.begin(carol, in: "ios", adding: stale)
        #expect(last.session.accounts.map(\.did) == ["did:plc:alice", "did:plc:bob", "did:plc:carol"])
        #expect(
            try await refusal { _ = try await self.sessions.activate(alice.id, in: stale) }
                == "changed_meanwhile")
        #expect(try await sessions.open(last.text).session.active == carol.id)
        try await sessions.logOutAll(of: try await sessions.open(last.text))
        #expect(try await refusal { _ = try await self.sessions.open(last.text) } == "session_ended")
        #expect(world.loggedOut.count == 3)
        // The session has ended meanwhile: the login gets one of its own.
        let late = try await sessions.begin(carol, in: "ios", adding: stale)
        #expect(late.session.accounts == [carol])
    }

    @Test("a session has a bounded number of accounts, and the login that is too much is ended")
    func bounded() async throws {
        var found: SessionBook.Found?
        for number in 0..<AppSession.mostAccounts {
            let entry = AppSession.Entry(id: UUID(), did: "did:plc:\(number)")
            found = try await sessions.open(try await sessions.begin(entry, in: "ios", adding: found).text)
        }
        let extra = AppSession.Entry(id: UUID(), did: "did:plc:extra")
        #expect(
            try await refusal { _ = try await self.sessions.begin(extra, in: "ios", adding: found) }
                == "too_many_accounts")
        #expect(world.loggedOut == [extra.id])
    }

    @Test("a session that is used is extended after half of its time, up to its end")
    func extends() async throws {
        let entry = AppSession.Entry(id: UUID(), did: "did:plc:alice")
        let first = try await sessions.begin(entry, in: "browser", adding: nil)
        world.advance(499)
        #expect(try await sessions.extendIfAged(try await sessions.open(first.text))?.text == nil)
        world.advance(2)
        var last = try #require(try await sessions.extendIfAged(try await sessions.open(first.text)))
        #expect(last.expiry == world.now + 1000)
        for _ in 0..<16 {
            world.advance(500.5)
            last = try await sessions.extendIfAged(try await sessions.open(last.text)) ?? last
        }
        #expect(last.expiry == first.session.ends)
        #expect(try await sessions.extendIfAged(try await sessions.open(last.text))?.text == nil)
    }

    @Test("an account that could not be logged out keeps its owner row, for a later attempt")
    func failedLogout() async throws {
        let entry = AppSession.Entry(id: UUID(), did: "did:plc:alice")
        let grant = try await sessions.begin(entry, in: "ios", adding: nil)
        world.failsLogouts.withLock { $0 = true }
        let left = try await sessions.logOut(entry.id, of: try await sessions.open(grant.text))
        #expect(left?.text == nil)
        #expect(try await refusal { _ = try await self.sessions.open(grant.text) } == "session_ended")
        #expect(try await rows.list("owner/", after: nil, limit: 9).count == 1)
    }

    @Test("a refresh that a login overtakes gives the login to nobody else")
    func overtaken() async throws {
        let first = try await sessions.begin(
            AppSession.Entry(id: UUID(), did: "did:plc:mallory"), in: "browser", adding: nil)
        let found = try await sessions.open(first.text)
        world.duringCheck.withLock { [sessions] in
            $0 = {
                let login = AppSession.Entry(id: UUID(), did: "did:plc:alice")
                await #expect(throws: Never.self) {
                    try await sessions.begin(login, in: "browser", adding: found)
                }
            }
        }
        #expect(try await refusal { _ = try await self.sessions.refresh(found) } == "changed_meanwhile")
    }

    @Test("of two refreshes at the same time, both get a session")
    func together() async throws {
        let first = try await sessions.begin(
            AppSession.Entry(id: UUID(), did: "did:plc:alice"), in: "ios", adding: nil)
        let found = try await sessions.open(first.text)
        world.duringCheck.withLock { [sessions, world] in
            $0 = {
                world.duringCheck.withLock { $0 = nil }
                await #expect(throws: Never.self) { try await sessions.refresh(found) }
            }
        }
        let grant = try await sessions.refresh(found)
        #expect(try await sessions.open(grant.text).session.generation == 2)
    }
}

/// The client and the accounts, with a clock that a test moves.
private final class World: LoginClient, OwnedAccounts {
    private struct Content {
        var now = Date(timeIntervalSince1970: 1_800_000_000)
        var states: [String] = []
        var labels: [String] = []
        var completed = 0
        var last: AppSession.Entry?
        var loggedOut: [UUID] = []
    }

    private let content = Mutex(Content())
    /// The DID that signs in; nil if the library fails.
    let outcome = Mutex<String?>("did:plc:alice")
    let failsLogouts = Mutex(false)
    /// Happens while the server of an account is asked.
    let duringCheck = Mutex<(@Sendable () async -> Void)?>(nil)

    var now: Date { content.withLock { $0.now } }
    var state: String { content.withLock { $0.states.last ?? "" } }
    var labels: [String] { content.withLock { $0.labels } }
    var completed: Int { content.withLock { $0.completed } }
    var last: AppSession.Entry? { content.withLock { $0.last } }
    var loggedOut: [UUID] { content.withLock { $0.loggedOut } }

    func advance(_ seconds: Double) { content.withLock { $0.now += seconds } }

    func begin(
        _ identifier: String, label: String, asksOnlyWho: Bool
    ) async throws(ATProtoFailure) -> PendingLogin {
        let state = RandomText.make()
        content.withLock {
            $0.states.append(state)
            $0.labels.append(label)
        }
        return try PendingLogin(archive: Self.archive(state))
    }

    func complete(_ pending: PendingLogin, redirect: String) async throws(ATProtoFailure) -> AppSession.Entry
    {
        content.withLock { $0.completed += 1 }
        guard let did = outcome.withLock(\.self) else {
            // Only the library makes its failures, and an empty text is no archive.
            _ = try PendingLogin(archive: "")
            return AppSession.Entry(id: UUID(), did: "")
        }
        let entry = AppSession.Entry(id: UUID(), did: did)
        content.withLock { $0.last = entry }
        return entry
    }

    func server(of account: UUID) async -> Origin? { nil }

    func handle(of account: UUID) async -> String? { nil }

    func check(_ account: UUID) async throws(ATProtoFailure) {
        await duringCheck.withLock(\.self)?()
    }

    func hasEnded(_ account: UUID) async -> Bool { false }

    func logOut(_ account: UUID, mustTell: Bool) async -> Logout {
        content.withLock { $0.loggedOut.append(account) }
        return failsLogouts.withLock(\.self) ? .unreachable : .done
    }

    private static func archive(_ state: String) -> String {
        guard let key = try? DPoPKey() else { return "" }
        let authorization: [String: Any] = [
            "version": 1, "url": "https://as.example/authorize?client_id=x", "expiry": 1_800_000_300,
            "issuer": "https://as.example",
            "client_id": "https://auth.example.com/oauth-client-metadata.json",
            "redirect_uri": "https://auth.example.com/oauth/callback", "scope": "atproto", "state": state,
            "verifier": String(repeating: "v", count: 43), "thumbprint": key.publicKey.thumbprint,
            "key": key.privateKeyText(),
        ]
        guard let inner = try? JSONSerialization.data(withJSONObject: authorization),
            let outer = try? JSONSerialization.data(
                withJSONObject: ["version": 1, "authorization": String(decoding: inner, as: UTF8.self)])
        else { return "" }
        return String(decoding: outer, as: UTF8.self)
    }
}
