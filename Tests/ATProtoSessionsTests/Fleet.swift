import ATPCryptography
import ATProtoSessions
import ATProtoVault
import BskyAuthRows
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Synchronization

/// Machines that share a vault with one account, and the server that keeps the account's session.
final class Fleet: Sendable {
    let directory: TemporaryDirectory
    let rows = MemoryRows()
    let server: TokenServer
    let id: UUID
    private let machines = Mutex(0)

    init(_ session: Session, takeover: Duration? = nil) async throws {
        directory = try TemporaryDirectory()
        let first = try TestVault(at: "\(directory.path)/0", key: "\(directory.path)/key")
        id = try first.add(session)
        server = TokenServer(session)
        let rows = rows
        _ = try await first.vault.share(
            through: Self.store, password: nil,
            as: SharedMachine(name: "first", isDurable: true, takeover: takeover),
            with: StoreOpener { _, _ in rows })
    }

    /// The URL of the store, which only the opener reads.
    static let store = "test://store"

    /// Another machine, which joins the vault.
    func machine(
        isDurable: Bool = true, _ limits: SharedStore.Limits = SharedStore.Limits()
    ) async throws -> Machine {
        let number = machines.withLock { machines in
            machines += 1
            return machines
        }
        let link = FaultyRows(rows)
        let vault = try await CredentialVault.join(
            Self.store, password: nil, key: .keyFile(path: "\(directory.path)/key"),
            at: "\(directory.path)/\(number)",
            as: SharedMachine(name: "machine \(number)", isDurable: isDurable),
            with: StoreOpener(limits: limits) { _, _ in link })
        return Machine(id: id, vault: vault, link: link, server: server)
    }

    /// The bytes of the account's row.
    var row: StoredRow? {
        get async throws { try await rows.list("accounts/", after: nil, limit: 1).first }
    }
}

/// One machine of a fleet.
struct Machine: Sendable {
    let id: UUID
    let vault: CredentialVault
    /// The way to the store.
    let link: FaultyRows
    let server: TokenServer
    private let host: Host
    private let store: VaultSessionStore

    init(id: UUID, vault: CredentialVault, link: FaultyRows, server: TokenServer) {
        self.id = id
        self.vault = vault
        self.link = link
        self.server = server
        host = Host(vault: vault)
        store = VaultSessionStore(vault, for: host)
    }

    var rotations: any RotationStore { store }
    /// How often a new session was kept on this machine only.
    var keptHere: Int { host.kept.withLock { $0 } }

    func session() async throws -> Session { try await store.session(id) }

    /// Refreshes a session as a process does that needs a newer token.
    @discardableResult
    func refresh(
        _ seen: Session, waiting limit: Duration = .seconds(60), _ fault: TokenServer.Fault? = nil,
        before: @escaping @Sendable () async -> Void = {}, after: @escaping @Sendable () async -> Void = {}
    ) async throws(StoreError) -> Session {
        let problem = Mutex<StoreError?>(nil)
        let stored = try await store.rotate(id, holding: seen.tokenFingerprint, waiting: limit) { permit in
            let (session, earlier) = (permit.session, permit.earlier)
            guard session.state == .ok else { return .notSpent }
            let (token, sentBy): (RefreshToken, ContinuousClock.Instant?)
            do throws(StoreError) { (token, sentBy) = try await permit.spend(at: Date()) } catch {
                if error.code != .overtaken { problem.withLock { $0 = error } }
                return .notSpent
            }
            await before()
            guard sentBy.map({ $0 > .now }) ?? true else { return .notSpent }
            let answer = server.refresh(token, fault)
            await after()
            switch answer {
            case .granted(let name): return .rotated(session.renewed(name))
            case .refused:
                var ended = session
                ended.state = .expired
                ended.lastError = earlier == nil ? "invalid_grant" : SessionEnding.lostRotationName
                return .ended(ended)
            case .lost: return .unknown(nil)
            case .failed:
                return .unknown(
                    RotationIntent.Answer(status: 503, notBefore: Date(), earlierUnclearStatus: nil))
            }
        }
        if let problem = problem.withLock({ $0 }) { throw problem }
        return stored
    }

    private final class Host: RotationHost {
        let vault: CredentialVault
        let kept = Mutex(0)

        init(vault: CredentialVault) { self.vault = vault }

        func lock(_ id: UUID, waiting limit: Duration) async throws -> AccountLock {
            try await vault.lock(id, timeout: limit)
        }
        func session(_ id: UUID) throws -> Session {
            try Session(record: try vault.read(.session, of: id).content)
        }
        func prepare(_ id: UUID, under lock: borrowing AccountLock) async throws {}
        func settle(_ id: UUID, isNew: Bool, under lock: borrowing AccountLock) async throws {}
        func unreadAnswerLost(_ error: VaultError) {}
        func keptHereOnly(_ error: VaultError) { kept.withLock { $0 += 1 } }
        func finish() {}
    }
}

/// What a permit told.
final class Witness: Sendable {
    private let seen = Mutex<RotationIntent?>(nil)

    var earlier: RotationIntent? {
        get { seen.withLock { $0 } }
        set { seen.withLock { $0 = newValue } }
    }
}

/// A server that takes each refresh token once, and ends the session when a spent one comes.
final class TokenServer: Sendable {
    enum Fault: Sendable { case answerLost, requestLost, failure }
    enum Answer: Sendable { case granted(String), refused, lost, failed }

    private struct State {
        var current: String
        var grants = 0
        var requests = 0
        var isAlive = true
    }

    private let state: Mutex<State>

    init(_ session: Session) {
        state = Mutex(State(current: session.refreshToken?.reveal() ?? ""))
    }

    var grants: Int { state.withLock { $0.grants } }
    var requests: Int { state.withLock { $0.requests } }
    var isAlive: Bool { state.withLock { $0.isAlive } }
    /// The token that works.
    var current: String { state.withLock { $0.current } }

    func refresh(_ token: RefreshToken, _ fault: Fault?) -> Answer {
        state.withLock { state in
            state.requests += 1
            if fault == .requestLost { return .lost }
            if fault == .failure { return .failed }
            guard state.isAlive, token.reveal() == state.current else {
                state.isAlive = false
                return .refused
            }
            state.grants += 1
            state.current = "token-\(state.grants)-refresh"
            return fault == .answerLost ? .lost : .granted("token-\(state.grants)")
        }
    }
}

/// The way of one machine to the store: it can be cut, and lose answers.
final class FaultyRows: RowStore {
    enum Fault: Sendable {
        /// The write happens, and its answer is lost.
        case answerLost
        /// The write does not happen, and no machine knows it.
        case requestLost
        /// As the first two, and from then on the store can't be reached.
        case lastAnswerLost, lastRequestLost
        /// The write happens, its answer comes, and from then on the store can't be reached.
        case last
    }

    private struct State {
        var isCut = false
        /// What happens to the next writes; nil for nothing.
        var faults: [Fault?] = []
        /// What others do after the next write whose answer is lost.
        var meanwhile: (@Sendable () async -> Void)?
        var operations = 0
    }

    private let rows: MemoryRows
    private let state = Mutex(State())

    init(_ rows: MemoryRows) { self.rows = rows }

    /// The reads and writes that reached the store or failed.
    var operations: Int { state.withLock { $0.operations } }
    func cut() { state.withLock { $0.isCut = true } }
    func heal() { state.withLock { $0.isCut = false } }
    /// What happens to the next writes.
    func fail(_ faults: Fault...) { state.withLock { $0.faults = faults } }

    /// What happens to one of the next writes.
    func failAt(write number: Int, with fault: Fault) {
        state.withLock { $0.faults = Array(repeating: nil, count: number - 1) + [fault] }
    }

    /// What others do between the next write whose answer is lost and the next step of this machine.
    func meanwhile(_ work: @escaping @Sendable () async -> Void) { state.withLock { $0.meanwhile = work } }

    /// Begins a write.
    ///
    /// - Returns: what happens to it.
    private func enterWrite() async throws(RowStoreError) -> Fault? {
        try enter()
        let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
        if fault == .lastAnswerLost || fault == .lastRequestLost || fault == .last { cut() }
        if fault == .requestLost || fault == .lastRequestLost { throw await lose() }
        return fault
    }

    private func leaveWrite(_ fault: Fault?) async throws(RowStoreError) {
        if fault == .answerLost || fault == .lastAnswerLost { throw await lose() }
    }

    private func lose() async -> RowStoreError {
        let work = state.withLock { state in
            defer { state.meanwhile = nil }
            return state.meanwhile
        }
        await work?()
        return Self.lost
    }

    private static let lost = RowStoreError("lost", outcome: .unknown, code: .timedOut)

    private func enter() throws(RowStoreError) {
        let isCut = state.withLock { state in
            state.operations += 1
            return state.isCut
        }
        if isCut { throw RowStoreError("cut", outcome: .notDone, code: .unreachable) }
    }

    func get(_ key: String) async throws(RowStoreError) -> StoredRow? {
        try enter()
        return try await rows.get(key)
    }

    func put(
        _ key: String, _ value: [UInt8], expiry: Date?, if condition: RowCondition, durability: Durability
    ) async throws(RowStoreError) -> Revision? {
        let fault = try await enterWrite()
        let revision = try await rows.put(key, value, expiry: expiry, if: condition, durability: durability)
        try await leaveWrite(fault)
        return revision
    }

    func delete(_ key: String, if condition: RowCondition) async throws(RowStoreError) -> Bool {
        let fault = try await enterWrite()
        let isDone = try await rows.delete(key, if: condition)
        try await leaveWrite(fault)
        return isDone
    }

    func list(_ prefix: String, after key: String?, limit: Int) async throws(RowStoreError) -> [StoredRow] {
        try enter()
        return try await rows.list(prefix, after: key, limit: limit)
    }

    func change(of key: String, after revision: Revision?) async throws(RowStoreError) -> StoredRow? {
        try enter()
        return try await rows.change(of: key, after: revision)
    }

    func removeExpired() async throws(RowStoreError) -> Int { try await rows.removeExpired() }
}
