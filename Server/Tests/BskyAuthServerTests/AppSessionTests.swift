import Foundation
import Testing

@testable import BskyAuthServer

@Suite struct AppSessionTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let id = UUID()

    private func session() -> AppSession {
        var session = AppSession(of: "ios", at: start, idle: .seconds(1000), ttl: .seconds(2500))
        _ = session.add(AppSession.Entry(id: UUID(), did: "did:plc:alice"))
        return session
    }

    @Test("the seal before a refresh is good for a minute, and no longer")
    func grace() {
        var session = session()
        let first = session.sealed(as: id)
        session.refresh(at: start + 500, idle: .seconds(1000))
        let second = session.sealed(as: id)
        #expect(second.expiry == start + 1500)
        #expect(session.accepts(first, at: start + 559.9))
        #expect(!session.accepts(first, at: start + 560))
        #expect(session.accepts(second, at: start + 1499))
        #expect(!session.accepts(second, at: start + 1500))
    }

    @Test("refreshes within a minute are one, so that no seal loses its minute")
    func twice() {
        var session = session()
        let first = session.sealed(as: id)
        session.refresh(at: start + 500, idle: .seconds(1000))
        let second = session.sealed(as: id)
        session.refresh(at: start + 559, idle: .seconds(1000))
        #expect(session.sealed(as: id).generation == second.generation)
        #expect(session.sealed(as: id).expiry == start + 1559)
        #expect(session.accepts(first, at: start + 559.5))
        session.refresh(at: start + 560, idle: .seconds(1000))
        #expect(!session.accepts(first, at: start + 560))
        #expect(session.accepts(second, at: start + 561))
    }

    @Test("no refresh moves the end")
    func ends() {
        var session = session()
        session.refresh(at: start + 900, idle: .seconds(1000))
        session.refresh(at: start + 1800, idle: .seconds(1000))
        #expect(session.expiry == start + 2500)
        #expect(session.accepts(session.sealed(as: id), at: start + 2499))
        #expect(!session.accepts(session.sealed(as: id), at: start + 2500))
    }

    @Test("a login ends every seal that was given before, also within the minute")
    func login() {
        var session = session()
        session.refresh(at: start + 100, idle: .seconds(1000))
        let before = session.sealed(as: id)
        _ = session.add(AppSession.Entry(id: UUID(), did: "did:plc:bob"))
        #expect(!session.accepts(before, at: start + 101))
        #expect(session.accepts(session.sealed(as: id), at: start + 101))
    }

    @Test("another change leaves the seals good, because they are worth no more than before")
    func changes() throws {
        let bob = AppSession.Entry(id: UUID(), did: "did:plc:bob")
        var session = session()
        let alice = try #require(session.active)
        _ = session.add(bob)
        for change in [
            { _ = $0.activate(alice) }, { $0.remove(bob.id) },
        ] as [(inout AppSession) -> Void] {
            let before = session.sealed(as: id)
            change(&session)
            #expect(session.accepts(before, at: start + 100))
        }
    }

    @Test("one person has one account in a session, and only the session's accounts become active")
    func accounts() throws {
        var session = session()
        let first = try #require(session.activeEntry)
        let second = AppSession.Entry(id: UUID(), did: first.did)
        let replaced = session.add(second)
        #expect(replaced == first)
        #expect(session.accounts == [second])
        for other in [first.id, UUID()] {
            let isDone = session.activate(other)
            #expect(!isDone)
        }
        #expect(session.active == second.id)
        session.remove(second.id)
        #expect(session.active == nil && session.accounts.isEmpty)
    }

    @Test("a seal of another app, or of a generation that is not there, is refused")
    func others() {
        let session = session()
        let sealed = session.sealed(as: id)
        for other in [
            SealedSession(
                session: id, generation: sealed.generation, audience: "android", expiry: sealed.expiry),
            SealedSession(
                session: id, generation: sealed.generation + 1, audience: "ios", expiry: sealed.expiry),
            SealedSession(
                session: id, generation: sealed.generation &- 1, audience: "ios", expiry: sealed.expiry),
        ] {
            #expect(!session.accepts(other, at: start + 1))
        }
    }
}
