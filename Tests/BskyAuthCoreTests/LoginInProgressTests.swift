import ATPNetworking
import ATProtoOAuth
import ATProtoSessions
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("LoginInProgress") struct LoginInProgressTests {
    private let pending = LoginInProgress()
    private let state: OAuthDPoP.State
    private let issuer: Issuer
    private let exchanges = Counter()

    init() throws {
        state = try OAuthDPoP.State()
        issuer = try Issuer(validating: World.pds, profile: .atproto, policy: NetworkPolicy())
    }

    private func wait(behind gate: Gate? = nil) async throws {
        let outcome = LoginOutcome(
            account: try World.account(), session: try World.session(), replacedSession: false,
            isActive: true, missingScopes: [])
        await pending.await(state: state, issuer: issuer) { [exchanges] _ in
            await exchanges.increment()
            await gate?.wait()
            return outcome
        }
    }

    private func query(state: String? = nil, code: String? = "c", error: String? = nil) -> String {
        var parameters: FormParameters = ["state": state ?? self.state.value, "iss": World.pds]
        if let code { parameters.append("code", code) }
        if let error { parameters.append("error", error) }
        return parameters.encoded
    }

    @Test("knows no redirect before the request is pushed") func preparing() async {
        guard case .notOurs = await pending.receive(query: query()) else {
            Issue.record("expected .notOurs")
            return
        }
        #expect(await pending.receive(pasted: "http://127.0.0.1/callback?state=x&code=y") == nil)
        await pending.giveUp(CoreError.loginDeclined)
        guard case .failure(CoreError.loginDeclined) = await pending.ending() else {
            Issue.record("another result")
            return
        }
    }

    @Test(
        "goes on waiting after a wrong state, no state and garbage", .covers("R40", "C10"),
        arguments: ["state=no&code=c", "", "%", "code=c"])
    func wrongState(text: String) async throws {
        try await wait()
        guard case .notOurs = await pending.receive(query: text) else {
            Issue.record("expected .notOurs")
            return
        }
        guard case .settled(.success) = await pending.receive(query: query()) else {
            Issue.record("expected .settled(.success)")
            return
        }
        #expect(await exchanges.count == 1)
    }

    @Test("the right state counts once: what comes later gets the same result", .covers("R36")) func once()
        async throws
    {
        try await wait()
        for _ in 0..<3 {
            guard case .settled(.success) = await pending.receive(query: query()) else {
                Issue.record("expected .settled(.success)")
                return
            }
        }
        guard case .settled(.success) = await pending.receive(query: "state=other") else {
            Issue.record("expected .settled(.success)")
            return
        }
        #expect(await pending.receive(pasted: "http://127.0.0.1/callback?\(query())") == nil)
        guard case .success = await pending.ending() else {
            Issue.record("expected .success")
            return
        }
        #expect(await exchanges.count == 1)
    }

    @Test(
        "a second one during the exchange waits for the first, and giving up comes too late", .covers("R36"))
    func during() async throws {
        let gate = Gate()
        try await wait(behind: gate)
        let first = Task { [pending] in await pending.receive(query: query()) }
        while await exchanges.count == 0 { await Task.yield() }
        let second = Task { [pending] in await pending.receive(query: query()) }
        await pending.giveUp(CoreError.loginTimedOut)
        gate.open()
        for task in [first, second] {
            guard case .settled(.success) = await task.value else {
                Issue.record("expected .settled(.success)")
                return
            }
        }
        guard case .success = await pending.ending() else {
            Issue.record("expected .success")
            return
        }
        #expect(await exchanges.count == 1)
    }

    @Test("a refusal with the right state settles it without an exchange") func refused() async throws {
        try await wait()
        let receipt = await pending.receive(query: query(code: nil, error: "access_denied"))
        guard case .settled(.failure(AuthorizationResponseError.refused("access_denied", nil))) = receipt
        else {
            Issue.record("another result")
            return
        }
        guard case .settled(.failure) = await pending.receive(query: query()) else {
            Issue.record("expected .settled(.failure)")
            return
        }
        #expect(await exchanges.count == 0)
    }

    @Test(
        "a pasted URL or query is taken as it is", .covers("C2"),
        arguments: ["http://127.0.0.1:43117/callback?QUERY", "QUERY", "http://127.0.0.1/callback?QUERY#_=_"])
    func pasted(form: String) async throws {
        try await wait()
        #expect(await pending.receive(pasted: form.replacing("QUERY", with: query())) == nil)
        guard case .success = await pending.ending() else {
            Issue.record("expected .success")
            return
        }
    }

    @Test("a pasted URL of another login, or none at all, is refused and may be followed by the right one")
    func pastedWrongState() async throws {
        try await wait()
        let other = "http://127.0.0.1:43117/callback?\(query(state: "another"))"
        #expect(await pending.receive(pasted: other) == .stateMismatch)
        #expect(await pending.receive(pasted: "alice.test") == .stateMissing)
        #expect(await pending.receive(pasted: "?%") == .malformed)
        #expect(await exchanges.count == 0)
        #expect(await pending.receive(pasted: query()) == nil)
        guard case .success = await pending.ending() else {
            Issue.record("expected .success")
            return
        }
    }

    @Test("a pasted URL of this login without a code ends it", .covers("C10"))
    func pastedWithoutCode() async throws {
        try await wait()
        #expect(await pending.receive(pasted: query(code: nil)) == nil)
        guard case .failure(AuthorizationResponseError.codeMissing) = await pending.ending() else {
            Issue.record("another result")
            return
        }
        #expect(await exchanges.count == 0)
    }

    @Test("giving up is told to everybody who waits") func giveUp() async throws {
        try await wait()
        let waiters = (0..<3).map { _ in Task { [pending] in await pending.ending() } }
        await pending.giveUp(CoreError.loginTimedOut)
        await pending.giveUp(SessionFailure.cancelled)
        for waiter in waiters {
            guard case .failure(CoreError.loginTimedOut) = await waiter.value else {
                Issue.record("another result")
                return
            }
        }
        guard case .settled(.failure(CoreError.loginTimedOut)) = await pending.receive(query: query()) else {
            Issue.record("another result")
            return
        }
    }

    @Test("the wait for a login ends with its time", .covers("R32")) func timeout() async throws {
        let clock = ManualClock(World.start)
        try await wait()
        clock.hold()
        let login = Task { [pending] in
            await LoginWait(pending: pending, clock: clock, timeout: .seconds(600)).ending()
        }
        await clock.asleep.wait()
        #expect(clock.wishes == [World.start.addingTimeInterval(600)])
        clock.wake()
        guard case .failure(CoreError.loginTimedOut) = await login.value else {
            Issue.record("another result")
            return
        }
    }
}

private actor Counter {
    private(set) var count = 0

    func increment() { count += 1 }
}
