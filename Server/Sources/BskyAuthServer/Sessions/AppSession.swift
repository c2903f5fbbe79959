internal import FoundationEssentials

/// A session of one app on one device, or of one browser: what its row holds. It owns the accounts that logged in there.
struct AppSession: Sendable, Codable, Equatable {
    /// One account of the session. Each has an OAuth session of its own in the vault.
    struct Entry: Sendable, Codable, Equatable {
        /// The account in the vault.
        let id: UUID
        let did: String
    }

    /// The app, which is the audience of the sealed session.
    let app: String
    /// When the first login happened.
    let created: Date
    /// When the session ends for good.
    let ends: Date
    /// When it ends unless it is refreshed.
    private(set) var expiry: Date
    /// Counts the refreshes and the logins. A sealed session is of one generation.
    private(set) var generation: UInt32 = 0
    /// Until when the generation before a refresh is still good, because the answer with the new one may get lost. Nil after a
    /// login: who held the session before must not get an account that was added to it.
    private(set) var graceEnd: Date?
    private(set) var accounts: [Entry] = []
    /// The account that calls are made as. Nil after its logout.
    private(set) var active: UUID?

    /// How long the sealed session before a refresh stays good.
    static let grace: TimeInterval = 60
    /// The most accounts of a session.
    static let mostAccounts = 20

    init(of app: String, at now: Date, idle: Duration, ttl: Duration) {
        self.app = app
        created = now.wholeSeconds
        ends = created + Double(ttl.components.seconds)
        expiry = min(ends, created + Double(idle.components.seconds))
    }

    var activeEntry: Entry? { accounts.first { $0.id == active } }

    func owns(_ account: UUID) -> Bool { accounts.contains { $0.id == account } }

    /// Whether a sealed session is good: of this generation, or of the one before for a while.
    func accepts(_ sealed: SealedSession, at now: Date) -> Bool {
        guard sealed.audience == app, now < expiry else { return false }
        return sealed.generation == generation || (sealed.generation &+ 1 == generation && isInGrace(now))
    }

    private func isInGrace(_ now: Date) -> Bool { graceEnd.map { now < $0 } ?? false }

    /// Moves the expiry. Refreshes within the grace are one, so that no holder of the session before loses its time.
    mutating func refresh(at now: Date, idle: Duration) {
        expiry = max(expiry, min(ends, now.wholeSeconds + Double(idle.components.seconds)))
        guard !isInGrace(now) else { return }
        generation &+= 1
        graceEnd = now.wholeSeconds + Self.grace
    }

    /// Adds an account, which is active from then on. Ends every sealed session that was given before, so that one which
    /// somebody planted or kept is worth nothing.
    ///
    /// - Returns: the earlier login of the same person here, which it replaces.
    mutating func add(_ entry: Entry) -> Entry? {
        let replaced = accounts.first { $0.did == entry.did }
        accounts.removeAll { $0.did == entry.did }
        accounts.append(entry)
        active = entry.id
        generation &+= 1
        graceEnd = nil
        return replaced
    }

    mutating func remove(_ account: UUID) {
        accounts.removeAll { $0.id == account }
        if active == account { active = nil }
    }

    /// Makes an account active.
    ///
    /// - Returns: false if the account is not of this session.
    mutating func activate(_ account: UUID) -> Bool {
        guard owns(account) else { return false }
        active = account
        return true
    }

    func sealed(as id: UUID) -> SealedSession {
        SealedSession(session: id, generation: generation, audience: app, expiry: expiry)
    }
}
