public import ATProtoIdentity

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Owns the moment in which a refresh token is spent.
///
/// A server takes a refresh token once. If two tasks send the same token, or if the answer is not saved, the session is
/// lost. So the store, and not its user, decides who may spend a token: ``rotate(_:holding:waiting:_:)`` lets one caller at
/// a time in, and saves what became of the token before it lets the next one in.
///
/// An actor alone does not exclude others here, because an actor may be entered again while it waits for the closure.
public protocol RotationStore: Sendable {
    /// The session of an account.
    ///
    /// - Throws: ``StoreError/Code/noSuchSession`` if there is none.
    func session(_ id: UUID) async throws(StoreError) -> Session

    /// Lets one caller spend the refresh token of a session.
    ///
    /// A store does this, in this order:
    ///
    /// 1. It lets no other task and no other process into the session until it returns.
    /// 2. It reads the session. If its access token has another fingerprint than `holding`, another caller has refreshed it,
    ///    and the store returns it.
    /// 3. It calls `spend` once with a permit.
    /// 4. It saves the result durably, and returns the saved session.
    ///
    /// Once the token was taken from the permit, the store must save the result even if the task is cancelled.
    ///
    /// - Parameters:
    ///   - id: ``Account/id``.
    ///   - holding: the fingerprint of the access token that the caller has seen (``Session/tokenFingerprint``).
    ///   - limit: how long to wait for another caller; zero for not at all.
    ///   - spend: sends the token and says what became of it. A store in another package writes `nonisolated(nonsending)` before
    ///     `@Sendable` here, unless the package turns on `NonisolatedNonsendingByDefault` (SE-0461).
    /// - Returns: the session that is stored now.
    /// - Throws: ``StoreError/Code/busy`` after `limit`; ``StoreError/Code/notBegun`` if nothing was sent;
    ///   ``StoreError/Code/notKept`` if the token may be spent and the result could not be saved.
    func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session
}

/// Keeps the accounts and their sessions. ``StoredSessions`` is one that needs only a place for texts.
public protocol SessionStore: RotationStore {
    /// All accounts, in any order.
    func accounts() async throws(StoreError) -> [Account]

    /// The accounts with a DID, in any order. The default looks through all accounts, so a store that has many finds them in
    /// another way.
    func accounts(of did: DID) async throws(StoreError) -> [Account]

    /// An account.
    ///
    /// - Throws: ``StoreError/Code/noSuchSession`` if there is none.
    func account(_ id: UUID) async throws(StoreError) -> Account

    /// The session of an account as every machine has it, for a store of which machines have copies. The default is
    /// ``RotationStore/session(_:)``.
    func newest(_ id: UUID) async throws(StoreError) -> Session

    /// Saves a login: an account with its session, in place of an earlier session of ``Account/id``. An open attempt to
    /// refresh the earlier session is forgotten. Waits for a refresh of the earlier session. An account that is there keeps its label.
    func save(_ account: Account, _ session: Session) async throws(StoreError)

    /// Saves a login so that a DID, label and network have one account: if the store has an account of the same login, it keeps its
    /// ``Account/id`` and gets the new session. A store that several processes use looks and writes in one step.
    ///
    /// The default looks and then writes (``save(_:_:)``), for a store that one process uses.
    ///
    /// - Parameters:
    ///   - account: the account of the login, with a new ``Account/id``.
    ///   - session: its session.
    ///   - replacing: whether the login replaces an earlier session. If not, nothing is saved where the store has an account of the
    ///     same login, or with the same ``Account/id``.
    /// - Returns: nil if nothing was saved for that reason.
    /// - Throws: ``StoreError/Code/kept`` if the store has the login and will finish it, so that its tokens must not be revoked. After
    ///   any other error the store does not have the login, if it was to replace an earlier session.
    func saveLogin(
        _ account: Account, _ session: Session, replacing: Bool
    ) async throws(StoreError) -> SavedLogin?

    /// Replaces the facts about an account that its server tells: its handle and its server. Its session stays, and its label, which
    /// another process may have changed.
    ///
    /// - Throws: ``StoreError/Code/noSuchSession`` if the account is gone.
    func update(_ account: Account) async throws(StoreError)

    /// Removes an account with its session. Does nothing if it is gone.
    func remove(_ id: UUID) async throws(StoreError)

    /// Removes an account whose session is first ended outside the store, at its server. Does nothing if it is gone.
    ///
    /// A store whose removals can fail does this, in this order:
    ///
    /// 1. It lets no other task and no other process into the session until it returns.
    /// 2. It tries all that the removal needs, as the space on its disk. If that fails, it throws, and nothing has ended.
    /// 3. It calls `end`.
    /// 4. If `end` returned true, it removes the account. If it can't, it forgets the session's tokens, so that no account seems to
    ///    work whose session has ended.
    ///
    /// The default calls `end` with ``newest(_:)``, and then ``remove(_:)``.
    ///
    /// - Parameters:
    ///   - id: ``Account/id``.
    ///   - end: ends the session, and says whether the account is to be removed. It gets the session, or why it can't be read, and a
    ///     function that stores new tokens, for a server that gave some instead of ending the session.
    func remove(
        _ id: UUID,
        ending end:
            @Sendable (
                Result<Session, StoreError>, _ keep: (Session) async throws(StoreError) -> Void
            ) async -> Bool
    ) async throws(StoreError)
}

extension SessionStore {
    /// The session that this store has.
    public func newest(_ id: UUID) async throws(StoreError) -> Session { try await session(id) }

    /// Ends the newest session, and then removes the account.
    public func remove(
        _ id: UUID,
        ending end:
            @Sendable (
                Result<Session, StoreError>, _ keep: (Session) async throws(StoreError) -> Void
            ) async -> Bool
    ) async throws(StoreError) {
        let session: Result<Session, StoreError>
        do throws(StoreError) { session = .success(try await newest(id)) } catch { session = .failure(error) }
        let isEnded = await end(session) { session async throws(StoreError) in
            try await save(try await account(id), session)
        }
        if isEnded { try await remove(id) }
    }

    /// The accounts with a DID, found by looking through all accounts.
    public func accounts(of did: DID) async throws(StoreError) -> [Account] {
        try await accounts().filter { $0.did == did }
    }
}

extension SessionStore {
    /// Looks for the account of the login, and then saves it.
    public func saveLogin(
        _ account: Account, _ session: Session, replacing: Bool
    ) async throws(StoreError) -> SavedLogin? {
        guard let holder = try await holder(of: account) else {
            try await save(account, session)
            return SavedLogin(account: account, replaced: [])
        }
        guard replacing else { return nil }
        // A session that can't be read can't be ended, and a new login is what mends that.
        let replaced = try? await self.session(holder.id)
        let renewed = account.with(id: holder.id, addedAt: holder.addedAt)
        try await save(renewed, session)
        return SavedLogin(account: renewed, replaced: replaced.map { [(holder, $0)] } ?? [])
    }

    /// The account of the same login, or with the same ``Account/id``.
    func holder(of login: Account) async throws(StoreError) -> Account? {
        if let holder = try await accounts(of: login.did).first(where: login.isSameLogin) { return holder }
        do { return try await account(login.id) } catch {
            guard error.code == .noSuchSession else { throw error }
            return nil
        }
    }
}

/// A login that a store has saved.
public struct SavedLogin: Sendable {
    /// The account of the login. It has the ``Account/id`` of an earlier login with the same DID, label and network.
    public let account: Account
    /// The sessions that the login replaced, with their accounts. The caller ends them at their servers.
    public let replaced: [(account: Account, session: Session)]

    /// - Parameters:
    ///   - account: the account of the login.
    ///   - replaced: the sessions that it replaced, with their accounts.
    public init(account: Account, replaced: [(account: Account, session: Session)]) {
        self.account = account
        self.replaced = replaced
    }
}

/// Why a store could not do what it was asked for.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What failed. More codes may come, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// The name of the code, such as `not_kept`, for logs.
        public var description: String { name }

        /// There is no store at this place. Create one.
        public static let missing = Code("missing")
        /// The store could not be opened: the key is wrong, or others could read it.
        public static let notOpened = Code("not_opened")
        /// Another caller uses the session. The wait reached its limit.
        public static let busy = Code("busy")
        /// The store could not prepare for the spending of a token. Nothing was sent.
        public static let notBegun = Code("not_begun")
        /// The answer to a refresh could not be saved. The refresh token may be spent.
        public static let notKept = Code("not_kept")
        /// Somebody else saved a session of the account meanwhile, for example by a login. The answer was not saved.
        public static let overtaken = Code("overtaken")
        /// A login is in the store and could not be finished, for example because another process uses its account. The store
        /// finishes it with the next login of the account. Its tokens must not be revoked.
        public static let kept = Code("kept")
        /// The store has no session of this account.
        public static let noSuchSession = Code("no_such_session")
        /// The task was cancelled while it waited for another caller.
        public static let cancelled = Code("cancelled")
        /// Anything else. Except after ``SessionStore/saveLogin(_:_:replacing:)``, the session may have been saved.
        public static let failed = Code("failed")

        fileprivate var words: String {
            switch self {
            case .notOpened: "the store could not be opened"
            case .missing: "there is no store"
            case .busy: "another task or process uses the session"
            case .notBegun: "the refresh could not be prepared, so nothing was sent"
            case .notKept: "the answer to a refresh could not be saved"
            case .overtaken: "another session of the account was saved meanwhile"
            case .kept: "the login is kept in the store, and is not finished"
            case .noSuchSession: "there is no session of this account"
            case .cancelled: "the task was cancelled"
            default: "the store failed"
            }
        }
    }

    /// What failed.
    public let code: Code
    /// The store's own error; nil if there is none.
    public let cause: (any Error)?

    /// - Parameters:
    ///   - code: what failed.
    ///   - cause: the store's own error. Its text appears in messages, so it must hold no secret.
    public init(_ code: Code, _ cause: (any Error)? = nil) {
        self.code = code
        self.cause = cause
    }

    /// What failed, in plain English.
    public var description: String {
        guard let cause else { return code.words }
        return "\(code.words): \(cause)"
    }
}

extension StoreError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
