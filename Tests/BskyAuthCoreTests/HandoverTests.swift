import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthTestSupport
import Foundation
import Synchronization
import Testing

@testable import BskyAuthCore

@Suite("Handing sessions over to a store") struct HandoverTests {
    private let world: World
    private let store = ScriptedStore()

    init() throws {
        world = try World()
        store.look(at: world.accounts)
    }

    private var key: KeySource { .keyFile(path: world.directory.path + "/key") }
    private var environment: SessionEnvironment {
        world.environment(policy: NetworkPolicy(), mirror: SessionMirror(sealingFor: key, to: store))
    }

    private func refresh(_ id: UUID, forced: Bool = false) async throws -> RefreshOutcome {
        try await RefreshFlow(environment.context)
            .refresh(id, options: .init(isForced: forced), lockTimeout: .zero).0
    }

    @Test(
        "the session as it is before its token is spent, the new one when it is durable, both under the lock")
    func order() async throws {
        let id = try await world.add(try World.session(life: 10))
        #expect(try await refresh(id) == .refreshed)
        #expect(store.calls.map(\.moment) == [.before, .after])
        #expect(store.calls.map(\.generation) == [1, 2])
        #expect(store.calls.map(\.wasLocked) == [true, true])
        let names = try store.calls.map { call in
            try Session(record: call.bundle.open(with: key).session).name
        }
        #expect(names == ["first", "second"])
        #expect(try world.accounts.session(id).name == "second")
        #expect(try await world.intent(of: id) == nil)
        #expect(world.section.depth == 0)
    }

    @Test("nothing is handed over where nothing is refreshed")
    func fresh() async throws {
        let id = try await world.add(try World.session())
        #expect(try await refresh(id) == .fresh)
        #expect(store.calls.isEmpty)
    }

    @Test("a store that does not take the old session keeps the token from being spent")
    func refusedBefore() async throws {
        let id = try await world.add(try World.session(life: 10))
        store.fail(.before, with: .failed(3))
        await #expect { try await refresh(id) } throws: { error in
            if case CoreError.mirror(_, .before, .failed(3)) = error { true } else { false }
        }
        #expect(world.spent.isEmpty)
        #expect(try world.accounts.session(id).name == "first")
        #expect(try await world.intent(of: id) == nil)
        #expect(world.section.depth == 0)
    }

    @Test("a store that does not take the new session is told of loudly, and the session is kept and good")
    func refusedAfter() async throws {
        let id = try await world.add(try World.session(life: 10))
        store.fail(.after, with: .timedOut)
        await #expect { try await refresh(id) } throws: { error in
            if case CoreError.mirror(_, .after, .timedOut) = error { true } else { false }
        }
        #expect(world.spent == ["first-refresh"])
        let kept = try world.accounts.session(id)
        #expect(kept.name == "second" && kept.state == .ok)
        #expect(try await world.intent(of: id) == nil)
        #expect(world.section.depth == 0)
        // Whoever asked is there to tell of it.
        #expect(world.section.failures.isEmpty)
    }

    @Test("with a signal waiting it is told of before the signal is obeyed")
    func refusedAfterSignal() async throws {
        let id = try await world.add(try World.session(life: 10))
        store.fail(.after, with: .failed(3), interrupting: world.section)
        await #expect(throws: CoreError.self) { try await refresh(id) }
        #expect(world.spent == ["first-refresh"])
        let told = world.section.failures.map { failure in
            if case CoreError.mirror(_, .after, .failed(3)) = failure { true } else { false }
        }
        #expect(told == [true])
    }

    // MARK: A store that is behind

    /// What the store got last.
    private func stored() throws -> String {
        try Session(record: try #require(store.calls.last).bundle.open(with: key).session).name
    }

    @Test("what a store did not take it gets from the next refresh, though that has nothing to refresh")
    func madeUp() async throws {
        let id = try await world.add(try World.session(life: 10))
        store.fail(.after, with: .timedOut)
        await #expect(throws: CoreError.self) { try await refresh(id) }
        // It is told again for as long as it is so.
        await #expect { try await refresh(id) } throws: { error in
            if case CoreError.mirror(_, .after, .timedOut) = error { true } else { false }
        }
        store.fail(.after, with: nil)
        #expect(try await refresh(id) == .fresh)
        let calls = store.calls
        #expect(calls.map(\.moment) == [.before, .after, .after, .after])
        #expect(calls.last?.generation == 2 && calls.last?.wasLocked == true)
        #expect(try stored() == "second")
        #expect(world.spent == ["first-refresh"])
        #expect(try await refresh(id) == .fresh)
        #expect(store.calls.count == calls.count)
        #expect(world.section.depth == 0)
    }

    @Test("so is what was refreshed, or logged in again, by who hands nothing over")
    func byOthers() async throws {
        let id = try await world.add(try World.session(life: 10))
        #expect(try await refresh(id) == .refreshed)
        world.network.answer(World.token, World.tokens("third"))
        try await world.refresh(id, forced: true)
        #expect(try stored() == "second")
        #expect(try await refresh(id) == .fresh)
        #expect(try stored() == "third")
        try await world.add(try World.session("fourth"))
        #expect(try await refresh(id) == .fresh)
        #expect(try stored() == "fourth")
    }

    @Test("so is what another process has refreshed meanwhile")
    func adopted() async throws {
        let id = try await world.add(try World.session(life: 10))
        #expect(try await refresh(id) == .refreshed)
        let seen = try world.accounts.session(id)
        try await world.store(World.session("theirs"), of: id)
        let (outcome, _) = try await RefreshFlow(environment.context).rotate(
            id, seen: seen, isForced: false, lockTimeout: .zero)
        #expect(outcome == .adopted)
        #expect(try stored() == "theirs")
    }

    @Test("who waited for the account takes what its holder left, and no session that has ended")
    func readAgain() async throws {
        let id = try await world.add(try World.session(life: 10))
        #expect(try await refresh(id) == .refreshed)
        let seen = try world.accounts.session(id)
        try await world.store(World.session("theirs"), of: id)
        #expect(try await environment.context.accounts.settled(seen, of: id, waiting: .zero).name == "theirs")
        #expect(try stored() == "theirs")
        try await world.store(World.session("ended", state: .expired), of: id)
        await #expect(throws: SessionFailure.self) {
            _ = try await environment.context.accounts.settled(seen, of: id, waiting: .zero)
        }
        #expect(try stored() == "theirs")
    }

    @Test("an account that was never handed over has no store, whoever refreshes it")
    func noStore() async throws {
        let id = try await world.add(try World.session(life: 10))
        try await world.refresh(id)
        #expect(try await refresh(id) == .fresh)
        #expect(store.calls.isEmpty)
    }

    @Test("a refresh waits for who has the account and may be handing it over; a call uses its token")
    func busy() async throws {
        let url = "\(World.pds)/xrpc/com.atproto.server.getSession"
        world.network.answer(url, .json([:]))
        let id = try await world.add(try World.session(life: 10))
        store.fail(.after, with: .timedOut)
        await #expect(throws: CoreError.self) { try await refresh(id) }
        let lock = try await world.accounts.lock(id, timeout: .zero)
        await #expect { try await refresh(id) } throws: { error in
            if case VaultError.busy = error { true } else { false }
        }
        let request = XRPCRequest(.query, try NSID(validating: "com.atproto.server.getSession"))
        let answer = try await CallFlow(environment.context, as: id).send(request, lockTimeout: .zero)
        #expect(answer.status == 200)
        _ = consume lock
    }

    @Test("a store that is interrupted before anything is spent ends the refresh, and is no failure of it")
    func interrupted() async throws {
        let id = try await world.add(try World.session(life: 10))
        store.fail(.before, with: .interrupted)
        await #expect { try await refresh(id) } throws: { error in
            if case SessionFailure.cancelled = error { true } else { false }
        }
        #expect(world.spent.isEmpty && world.section.depth == 0)
    }

    @Test("tokens that do not verify are not handed over")
    func quarantined() async throws {
        let id = try await world.add(try World.session(life: 10))
        world.network.answer(World.token, World.tokens("second", sub: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))
        await #expect(throws: SessionFailure.self) { try await refresh(id) }
        #expect(try world.accounts.session(id).state == .quarantined)
        #expect(store.calls.map(\.moment) == [.before])
    }

    @Test("a key that can't be read is told of before anything is spent")
    func noKey() async throws {
        let id = try await world.add(try World.session(life: 10))
        let missing = world.directory.path + "/missing"
        let environment = world.environment(
            policy: NetworkPolicy(),
            mirror: SessionMirror(sealingFor: .keyFile(path: missing), to: store))
        await #expect {
            _ = try await RefreshFlow(environment.context).refresh(id, options: .init(), lockTimeout: .zero)
        } throws: { error in
            if case BundleError.vault(.keyFileMissing(missing)) = error { true } else { false }
        }
        #expect(world.spent.isEmpty && store.calls.isEmpty)
    }
}

/// A store that remembers what it was given, and fails when it is told to.
final class ScriptedStore: MirrorDestination {
    struct Call: Sendable {
        let bundle: SealedBundle
        let moment: SessionMirror.Moment
        let generation: UInt64
        /// Whether others had to wait for the account.
        let wasLocked: Bool
    }

    private struct State {
        var calls: [Call] = []
        var failures: [SessionMirror.Moment: MirrorFailure] = [:]
        var accounts: VaultAccounts?
        var interrupted: CountedSection?
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock(\.calls) }

    func look(at accounts: VaultAccounts) { state.withLock { $0.accounts = accounts } }

    /// - Parameter section: has a signal arrive meanwhile.
    func fail(
        _ moment: SessionMirror.Moment, with failure: MirrorFailure?,
        interrupting section: CountedSection? = nil
    ) {
        state.withLock {
            $0.failures[moment] = failure
            $0.interrupted = section
        }
    }

    func store(
        _ bundle: SealedBundle, _ occasion: SessionMirror.Occasion
    ) async throws(MirrorFailure) {
        let accounts = state.withLock(\.accounts)
        var wasLocked = false
        do { wasLocked = try accounts?.tryLock(occasion.account.id) == nil } catch {}
        let (failure, interrupted) = state.withLock { state in
            state.calls.append(
                Call(
                    bundle: bundle, moment: occasion.moment, generation: occasion.generation,
                    wasLocked: wasLocked))
            return (state.failures[occasion.moment], state.interrupted)
        }
        guard let failure else { return }
        interrupted?.interrupt()
        throw failure
    }
}
