internal import ATPCryptography
internal import ATProtoIdentity
public import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A session store over a place for texts. It owns the order and the exclusion, so that the place needs only to read and
/// write.
///
/// It excludes other tasks of this process and not other processes. So only one process at a time may use the place, and
/// only one `StoredSessions` in it.
public final class StoredSessions: SessionStore {
    private let storage: any SecretStorage
    private let signers: @Sendable (String) -> (any ProofSigner)?
    private let turns = Turns<UUID>()
    /// Logins of one DID are saved one after the other, so that the second finds the first.
    private let logins = Turns<DID>()

    /// - Parameters:
    ///   - storage: where the texts are.
    ///   - signers: finds the key of a session by its thumbprint, if it is not a `DPoPKey`.
    public init(
        _ storage: any SecretStorage,
        signers: @escaping @Sendable (_ thumbprint: String) -> (any ProofSigner)? = { _ in nil }
    ) {
        self.storage = storage
        self.signers = signers
    }

    // MARK: Accounts

    /// All accounts, in any order.
    public func accounts() async throws(StoreError) -> [Account] {
        let names: [String]
        do { names = try await storage.names() } catch { throw StoreError(.failed, error) }
        var accounts: [Account] = []
        for name in names where name.hasSuffix(Kind.account.rawValue) {
            // An account that is being removed is gone.
            guard let text = try await text(name) else { continue }
            accounts.append(try Self.account(text, name))
        }
        return accounts
    }

    /// An account.
    public func account(_ id: UUID) async throws(StoreError) -> Account {
        let name = Kind.account.name(id)
        guard let text = try await text(name) else { throw StoreError(.noSuchSession) }
        return try Self.account(text, name)
    }

    /// Saves a login.
    public func save(_ account: Account, _ session: Session) async throws(StoreError) {
        try await turns.hold(account.id, waiting: Turn.longest) { () async throws(StoreError) in
            try await write(account, session)
        }
    }

    /// Saves a login so that a DID, label and network have one account.
    public func saveLogin(
        _ account: Account, _ session: Session, replacing: Bool
    ) async throws(StoreError) -> SavedLogin? {
        try await logins.hold(account.did, waiting: Turn.longest) { () async throws(StoreError) in
            guard let holder = try await holder(of: account) else {
                try await save(account, session)
                return SavedLogin(account: account, replaced: [])
            }
            guard replacing else { return nil }
            return try await turns.hold(holder.id, waiting: Turn.longest) {
                () async throws(StoreError) in
                // Read under the lock, because a refresh may have replaced it. A session that can't be read can't be ended.
                let replaced = try? await self.session(holder.id)
                let renewed = account.with(id: holder.id, addedAt: holder.addedAt)
                try await write(renewed, session)
                return SavedLogin(account: renewed, replaced: replaced.map { [(holder, $0)] } ?? [])
            }
        }
    }

    private func write(_ account: Account, _ session: Session) async throws(StoreError) {
        let id = account.id
        if try await text(Kind.account.name(id)) != nil {
            // Until the session is written too, the account has its complete old session.
            try await write(account.archive, as: .account, of: id)
            try await write(session.archive, as: .session, of: id)
        } else {
            // A new account has a session whenever it is there.
            try await write(session.archive, as: .session, of: id)
            try await write(account.archive, as: .account, of: id)
        }
        // The last, because the attempt belongs to the old session. One that stays does no harm.
        for kind in [Kind.attempt, .unread] { try await remove(kind, of: id) }
    }

    /// Replaces the facts about an account that its server tells.
    public func update(_ account: Account) async throws(StoreError) {
        try await turns.hold(account.id, waiting: Turn.longest) { () async throws(StoreError) in
            let label = try await self.account(account.id).label
            try await write(account.with(label: label).archive, as: .account, of: account.id)
        }
    }

    /// Removes an account with its session.
    public func remove(_ id: UUID) async throws(StoreError) {
        try await turns.hold(id, waiting: Turn.longest) { () async throws(StoreError) in
            try await removeTexts(of: id)
        }
    }

    /// Removes an account whose session is first ended at its server.
    public func remove(
        _ id: UUID,
        ending end:
            @Sendable (
                Result<Session, StoreError>, _ keep: (Session) async throws(StoreError) -> Void
            ) async -> Bool
    ) async throws(StoreError) {
        try await turns.hold(id, waiting: Turn.longest) { () async throws(StoreError) in
            let stored: Result<Session, StoreError>
            do throws(StoreError) { stored = .success(try await session(id)) } catch {
                stored = .failure(error)
            }
            let isEnded = await end(stored) { session async throws(StoreError) in
                try await write(session.archive, as: .session, of: id)
            }
            guard isEnded else { return }
            do throws(StoreError) { try await removeTexts(of: id) } catch {
                // An account that stays must not seem to work. The error is the one of the removal.
                if case .success(let session) = stored {
                    do { try await write(session.withoutTokens.archive, as: .session, of: id) } catch {}
                }
                throw error
            }
        }
    }

    private func removeTexts(of id: UUID) async throws(StoreError) {
        for kind in [Kind.account, .session, .attempt, .unread] { try await remove(kind, of: id) }
    }

    // MARK: Sessions

    /// The session of an account.
    public func session(_ id: UUID) async throws(StoreError) -> Session {
        let name = Kind.session.name(id)
        guard let text = try await text(name) else { throw StoreError(.noSuchSession) }
        guard let session = Session(archive: text, signers: signers) else {
            throw StoreError(.failed, UnreadableText(name: name))
        }
        return session
    }

    /// Lets one caller spend the refresh token of a session. See ``RotationStore``.
    public func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        try await turns.hold(id, waiting: limit) { () async throws(StoreError) in
            let stored = try await session(id)
            guard stored.tokenFingerprint == holding, stored.refreshToken != nil else { return stored }
            let earlier = try await intent(of: id)
            let begun = Begun()
            let permit = RotationPermit(session: stored, earlier: earlier) {
                intent async throws(StoreError) in
                do {
                    try await self.storage.write(intent.archive, as: Kind.attempt.name(id))
                } catch { throw StoreError(.notBegun, error) }
                begun.intent.withLock { $0 = intent }
            }
            let result = await spend(permit)
            guard let intent = begun.intent.withLock({ $0 }) else {
                guard case .notSpent = result else { throw StoreError(.failed, ResultWithoutSpending()) }
                return stored
            }
            // It has to be saved even if the task is cancelled.
            return try await Task { () async -> Result<Session, StoreError> in
                do throws(StoreError) {
                    return .success(try await self.keep(result, of: id, stored, intent, after: earlier))
                } catch { return .failure(error) }
            }.value.get()
        }
    }

    /// The attempt that a permit has begun.
    private final class Begun: Sendable {
        let intent = Mutex<RotationIntent?>(nil)
    }

    /// Saves what became of the token.
    private func keep(
        _ result: RotationResult, of id: UUID, _ stored: Session, _ intent: RotationIntent,
        after earlier: RotationIntent?
    ) async throws(StoreError) -> Session {
        switch result {
        case .rotated(let session), .ended(let session, _):
            if case .ended(_, let unread?) = result {
                // The session's end matters more, so it is saved even if this fails.
                try? await write(Base64URL.encode(unread), as: .unread, of: id)
            }
            do { try await write(session.archive, as: .session, of: id) } catch {
                throw StoreError(.notKept, error.cause)
            }
            // An attempt that stays does no harm, because its token is not used again.
            try? await remove(.attempt, of: id)
            return session
        case .notSpent:
            if let earlier {
                try await write(earlier.archive, as: .attempt, of: id)
            } else {
                try await remove(.attempt, of: id)
            }
        case .unknown(let answer):
            try await write(intent.answered(answer).archive, as: .attempt, of: id)
        }
        return stored
    }

    private func intent(of id: UUID) async throws(StoreError) -> RotationIntent? {
        let name = Kind.attempt.name(id)
        guard let text = try await text(name) else { return nil }
        guard let intent = RotationIntent(archive: text) else {
            throw StoreError(.failed, UnreadableText(name: name))
        }
        return intent
    }

    // MARK: Texts

    /// What a text is, as the end of its name.
    private enum Kind: String {
        case account = ".account"
        case session = ".session"
        case attempt = ".attempt"
        /// An answer to a refresh that could not be read, in base64url. It may hold the only tokens that work.
        case unread = ".unread-answer"

        func name(_ id: UUID) -> String { id.text + rawValue }
    }

    /// A text of another program or version, or of a key that is not here.
    private struct UnreadableText: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) can't be read" }
    }

    private static func account(_ text: String, _ name: String) throws(StoreError) -> Account {
        guard let account = Account(archive: text) else {
            throw StoreError(.failed, UnreadableText(name: name))
        }
        return account
    }

    private func text(_ name: String) async throws(StoreError) -> String? {
        do { return try await storage.text(name) } catch { throw StoreError(.failed, error) }
    }

    private func write(_ text: String, as kind: Kind, of id: UUID) async throws(StoreError) {
        do { try await storage.write(text, as: kind.name(id)) } catch { throw StoreError(.failed, error) }
    }

    private func remove(_ kind: Kind, of id: UUID) async throws(StoreError) {
        do { try await storage.remove(kind.name(id)) } catch { throw StoreError(.failed, error) }
    }
}
