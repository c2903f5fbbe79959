import CredentialVault
import Foundation
import Networking
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
    private var environment: CoreEnvironment {
        world.environment(policy: NetworkPolicy(), handover: SessionHandover(sealingFor: key, to: store))
    }

    private func refresh(_ id: UUID, forced: Bool = false) async throws -> RefreshFlow.Outcome {
        try await RefreshFlow(environment)
            .refresh(id, wants: .init(isForced: forced), lockTimeout: .zero).0
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
            if case CoreError.handover(_, .before, .failed(3)) = error { true } else { false }
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
            if case CoreError.handover(_, .after, .timedOut) = error { true } else { false }
        }
        #expect(world.spent == ["first-refresh"])
        let kept = try world.accounts.session(id)
        #expect(kept.name == "second" && kept.state == .ok)
        #expect(try await world.intent(of: id) == nil)
        // What its message says to do.
        store.fail(.after, with: nil)
        world.network.answer(World.token, World.tokens("third"))
        #expect(try await refresh(id, forced: true) == .refreshed)
        let stored = try #require(store.calls.last).bundle.open(with: key)
        #expect(try Session(record: stored.session).name == "third")
    }

    @Test("a store that is interrupted before anything is spent ends the refresh, and is no failure of it")
    func interrupted() async throws {
        let id = try await world.add(try World.session(life: 10))
        store.fail(.before, with: .interrupted)
        await #expect { try await refresh(id) } throws: { error in
            if case CoreError.cancelled = error { true } else { false }
        }
        #expect(world.spent.isEmpty && world.section.depth == 0)
    }

    @Test("tokens that do not verify are not handed over")
    func quarantined() async throws {
        let id = try await world.add(try World.session(life: 10))
        world.network.answer(World.token, World.tokens("second", sub: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))
        await #expect(throws: CoreError.self) { try await refresh(id) }
        #expect(try world.accounts.session(id).state == .quarantined)
        #expect(store.calls.map(\.moment) == [.before])
    }

    @Test("a key that can't be read is told of before anything is spent")
    func noKey() async throws {
        let id = try await world.add(try World.session(life: 10))
        let missing = world.directory.path + "/missing"
        let environment = world.environment(
            policy: NetworkPolicy(),
            handover: SessionHandover(sealingFor: .keyFile(path: missing), to: store))
        await #expect {
            _ = try await RefreshFlow(environment).refresh(id, wants: .init(), lockTimeout: .zero)
        } throws: { error in
            if case CoreError.bundle(.vault(.keyFileMissing(missing))) = error { true } else { false }
        }
        #expect(world.spent.isEmpty && store.calls.isEmpty)
    }
}

/// A store that remembers what it was given, and fails when it is told to.
private final class ScriptedStore: SecretStore {
    struct Call: Sendable {
        let bundle: SealedBundle
        let moment: SessionHandover.Moment
        let generation: UInt64
        /// Whether others had to wait for the account.
        let wasLocked: Bool
    }

    private struct State {
        var calls: [Call] = []
        var failures: [SessionHandover.Moment: SecretStoreFailure] = [:]
        var accounts: AccountStore?
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock(\.calls) }

    func look(at accounts: AccountStore) { state.withLock { $0.accounts = accounts } }

    func fail(_ moment: SessionHandover.Moment, with failure: SecretStoreFailure?) {
        state.withLock { $0.failures[moment] = failure }
    }

    func store(
        _ bundle: SealedBundle, _ occasion: SessionHandover.Occasion
    ) async throws(SecretStoreFailure) {
        let accounts = state.withLock(\.accounts)
        var wasLocked = false
        do { wasLocked = try accounts?.tryLock(occasion.account.id) == nil } catch {}
        let failure = state.withLock { state in
            state.calls.append(
                Call(
                    bundle: bundle, moment: occasion.moment, generation: occasion.generation,
                    wasLocked: wasLocked))
            return state.failures[occasion.moment]
        }
        if let failure { throw failure }
    }
}
