internal import ATProtoSessions
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Keeps the session and the login that waits in a storage, and lets one task at a time change the session.
///
/// A session that could not be saved stays in memory, because the server has ended the one that is in the storage.
final class BackendSessionStore: Sendable {
    private struct State {
        /// The session that the storage should have and does not: nil if it should have none.
        var unsaved: BackendSession??
        /// The next refresh that failed for a temporary reason may be tried then.
        var nextRefresh: Date?
    }

    private let storage: any SecretStorage
    private let turns = Turns<String>()
    private let state = Mutex(State())

    /// How long a task waits for the change of another one. It is longer than a login or a refresh can take.
    private static let longestTurn = Duration.seconds(420)
    private static let sessionName = "backend-session"
    private static let loginName = "backend-login"

    init(_ storage: any SecretStorage) {
        self.storage = storage
    }

    // MARK: Turns

    /// Runs a change of the session while no other task changes it. It goes on if the calling task is cancelled, because the
    /// server may have ended the session before.
    func alone<Value: Sendable>(
        _ change: @escaping @Sendable () async throws(ATProtoFailure) -> Value
    ) async throws(ATProtoFailure) -> Value {
        let result: Result<Value, ATProtoFailure>
        do {
            result = try await turns.hold(Self.sessionName, waiting: Self.longestTurn) {
                () async throws(StoreError) in
                await Task { () async -> Result<Value, ATProtoFailure> in
                    do throws(ATProtoFailure) { return .success(try await change()) } catch {
                        return .failure(error)
                    }
                }.value
            }
        } catch {
            throw ATProtoFailure(error)
        }
        return try result.get()
    }

    func mayRefresh(at now: Date) -> Bool { state.withLock { $0.nextRefresh.map { now >= $0 } ?? true } }

    func postponeRefresh(until date: Date) { state.withLock { $0.nextRefresh = date } }

    // MARK: The session

    /// The session; nil if there is none.
    func session() async throws(ATProtoFailure) -> BackendSession? {
        if let unsaved = state.withLock({ $0.unsaved }) { return unsaved }
        guard let text = try await text(Self.sessionName) else { return nil }
        do { return try BackendSession(archive: text) } catch { throw Self.unreadable(Self.sessionName) }
    }

    /// Saves the session that has taken the place of the one before; nil removes it.
    ///
    /// - Throws: `store`. The session is in memory then.
    func keep(_ session: BackendSession?) async throws(ATProtoFailure) {
        state.withLock {
            $0.unsaved = .some(session)
            $0.nextRefresh = nil
        }
        try await saveWhatIsUnsaved()
    }

    /// Whether the storage does not have the session.
    var hasUnsaved: Bool { state.withLock { $0.unsaved != nil } }

    /// Saves what an earlier attempt could not. The caller is alone.
    func saveWhatIsUnsaved() async throws(ATProtoFailure) {
        guard let unsaved = state.withLock({ $0.unsaved }) else { return }
        if let session = unsaved {
            try await write(session.archive, as: Self.sessionName)
        } else {
            try await remove(Self.sessionName)
        }
        state.withLock { $0.unsaved = nil }
    }

    // MARK: The login that waits

    /// The login that was begun last; nil if there is none.
    func login() async throws(ATProtoFailure) -> PendingBackendLogin? {
        guard let text = try await text(Self.loginName) else { return nil }
        do { return try PendingBackendLogin(archive: text) } catch { throw Self.unreadable(Self.loginName) }
    }

    func write(_ login: PendingBackendLogin) async throws(ATProtoFailure) {
        try await write(login.archive, as: Self.loginName)
    }

    /// Removes a login that was completed, unless another one was begun meanwhile. One that stays does no harm, because its
    /// code is spent.
    func forgetLogin(_ completed: PendingBackendLogin) async {
        guard let login = try? await login(), login.isSame(as: completed) else { return }
        try? await remove(Self.loginName)
    }

    // MARK: Texts

    private static func unreadable(_ name: String) -> ATProtoFailure {
        ATProtoFailure(.store, "\(name) in the storage can't be read")
    }

    private func text(_ name: String) async throws(ATProtoFailure) -> String? {
        do { return try await storage.text(name) } catch {
            throw ATProtoFailure(StoreError(.failed, error))
        }
    }

    private func write(_ text: String, as name: String) async throws(ATProtoFailure) {
        do { try await storage.write(text, as: name) } catch {
            throw ATProtoFailure(StoreError(.failed, error))
        }
    }

    private func remove(_ name: String) async throws(ATProtoFailure) {
        do { try await storage.remove(name) } catch { throw ATProtoFailure(StoreError(.failed, error)) }
    }
}
