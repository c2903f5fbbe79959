import ATPNetworking
import ATProtoSessions
import BskyAuthTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import BskyAuthCore

/// A keeper that answers as it is told, and notes what it is asked.
final class ScriptedKeeper: RotationRunner {
    private let answer: @Sendable (RotationRequest) async throws -> RefreshOutcome?
    private let noted = Mutex<[RotationRequest]>([])

    var requests: [RotationRequest] { noted.withLock(\.self) }

    init(_ answer: @escaping @Sendable (RotationRequest) async throws -> RefreshOutcome?) {
        self.answer = answer
    }

    func rotate(_ request: RotationRequest) async throws -> RefreshOutcome? {
        noted.withLock { $0.append(request) }
        return try await answer(request)
    }
}

@Suite("RefreshFlow: with a keeper") struct KeeperTests {
    let world: World
    let id: UUID

    init() async throws {
        world = try World()
        id = try await world.add(World.session(life: 10))
    }

    private func renew(
        _ keeper: ScriptedKeeper, forced: Bool = false
    ) async throws -> (RefreshOutcome, Session) {
        try await RefreshFlow(world.environment(policy: .init(), keeper: keeper).context)
            .renew(id, options: .init(isForced: forced), lockTimeout: .seconds(1))
    }

    @Test("the keeper rotates, and this process reads the new session and sends nothing")
    func rotates() async throws {
        let world = world
        let keeper = ScriptedKeeper { request in
            try await RefreshFlow(world.environment.context).rotate(for: request)
        }
        let (outcome, session) = try await renew(keeper)
        #expect(outcome == .refreshed && session.name == "second")
        #expect(keeper.requests.count == 1 && world.spent.count == 1)
    }

    @Test("without a keeper that answers, this process rotates") func noKeeper() async throws {
        let keeper = ScriptedKeeper { _ in nil }
        #expect(try await renew(keeper).0 == .refreshed)
        #expect(keeper.requests.count == 1 && world.spent.count == 1)
    }

    @Test("a fresh token needs no keeper") func fresh() async throws {
        world.clock.advance(-1000)
        let keeper = ScriptedKeeper { _ in nil }
        #expect(try await renew(keeper).0 == .fresh)
        #expect(keeper.requests.isEmpty)
    }

    @Test("a session that was refreshed since the command looked is adopted") func adopted() async throws {
        let request = RotationRequest(
            account: id, seen: "another", isForced: false, isRefused: false, awaitsRefresh: true,
            lockTimeout: .seconds(1))
        #expect(try await RefreshFlow(world.environment.context).rotate(for: request) == .adopted)
        #expect(world.network.requests.isEmpty)
    }

    @Test("a passing failure of the keeper leaves a call its valid token") func passing() async throws {
        let failure = KeeperFailure(words: CoreError.noAccounts, isPassing: true, retry: .soon)
        let keeper = ScriptedKeeper { _ in throw failure }
        let flow = CallFlow(world.environment(policy: .init(), keeper: keeper).context, as: id)
        #expect(try await flow.freshSession(.seconds(1)).name == "first")
        let final = ScriptedKeeper { _ in
            throw KeeperFailure(words: CoreError.noAccounts, isPassing: false, retry: nil)
        }
        await #expect(throws: KeeperFailure.self) {
            try await CallFlow(world.environment(policy: .init(), keeper: final).context, as: id)
                .freshSession(.seconds(1))
        }
    }
}
