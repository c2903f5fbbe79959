internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import Logging
internal import ServiceLifecycle

/// Looks through the accounts of the vault. It logs out those that no session has any more, and refreshes those that were not
/// refreshed for long, so that their servers don't end them. It also removes old files of the audit log.
struct Sweep: Sendable {
    let rows: any RowStore
    let store: any SessionStore
    let client: any RefreshingClient
    let sessions: Sessions
    /// How long an account may go without a refresh. Nil: accounts are never refreshed.
    let idleAfter: Duration?
    let audit: AuditLog
    let log: Logger
    /// The time between two refreshes at one issuer.
    let pace: Duration
    let now: @Sendable () -> Date

    /// What a sweep did.
    struct Report: Sendable, Equatable {
        /// The accounts in the vault.
        var accounts = 0
        /// The sessions with an account in the vault; nil if the sweep did not look at all accounts.
        var sessions: Int?
        /// The accounts that a session has.
        var kept = 0
        /// The accounts without a session that were logged out.
        var loggedOut = 0
        /// The accounts without a session whose servers could not be told. The next sweep tries again.
        var waiting = 0
        var refreshed = 0
        /// The accounts whose refresh failed. The next sweep tries again.
        var notRefreshed = 0
        /// The accounts whose OAuth session has ended. Their sessions have lost them.
        var ended = 0
    }

    /// How long an account may be without a session, because its login goes on.
    private static let loginTime: TimeInterval = 600
    /// How long a server that can't be reached is told again. After that, the tokens are removed without its knowledge.
    private static let logoutTimeLimit: TimeInterval = 30 * 86400
    /// How many issuers are asked at the same time.
    private static let issuersAtOnce = 4

    /// Looks through all accounts, or until the server shuts down.
    ///
    /// - Returns: nil if another process does it now.
    func run() async throws -> Report? {
        guard var lease = try await Lease("sweep", of: rows, now: now) else { return nil }
        var report = Report()
        let result: Result<Void, any Error>
        do { result = .success(try await run(under: &lease, &report)) } catch { result = .failure(error) }
        try await lease.giveBack()
        try result.get()
        return report
    }

    private func run(under lease: inout Lease, _ report: inout Report) async throws {
        try audit.removeOld()
        let begin = now()
        let accounts = try await store.accounts()
        report.accounts = accounts.count
        var owners: Set<UUID> = []
        var isWhole = true
        var idle: [String: [Idle]] = [:]
        var left: [Left] = []
        // In a random order, so that a sweep that is always interrupted comes to every account some time.
        for account in accounts.shuffled() {
            guard try await lease.renew(), mayGoOn else {
                isWhole = false
                break
            }
            do { try await look(at: account, &idle, &left, &owners, &report) } catch {
                // A row or a record that can't be read stops nothing else.
                isWhole = false
                log.error("an account was not looked at: \(error)", metadata: ["account": "\(account.id)"])
            }
        }
        report.sessions = isWhole ? owners.count : nil
        // Anybody can begin logins and leave them, and their logouts must not keep others from a refresh.
        try await refresh(idle, &lease, &report)
        try await logOut(left, &lease, &report)
        try await removeOwners(butOf: Set(accounts.map(\.id)), before: begin)
    }

    /// Whether another account may be begun. One whose refresh was sent is waited for.
    private var mayGoOn: Bool { !Task.isCancelled && !Task.isShuttingDownGracefully }

    private func look(
        at account: Account, _ idle: inout [String: [Idle]], _ left: inout [Left],
        _ owners: inout Set<UUID>, _ report: inout Report
    ) async throws {
        let entry = AppSession.Entry(id: account.id, did: account.did.description)
        let owner = try await sessions.book.owner(of: entry)
        if let owner, let found = try await session(of: owner), found.session.owns(entry.id) {
            report.kept += 1
            owners.insert(found.id)
            if let issuer = try await issuerIfIdle(account.id) {
                idle[issuer, default: []].append(Idle(entry: entry, session: found))
            }
        } else if now().timeIntervalSince(owner?.since ?? account.addedAt) > Self.loginTime {
            left.append(Left(entry: entry, owner: owner, pds: account.pds))
        }
    }

    private func session(of owner: SessionBook.Owner) async throws -> SessionBook.Found? {
        guard let id = owner.session else { return nil }
        return try await sessions.book.find(id)
    }

    // MARK: Accounts without a session

    /// An account without a session, whose login does not go on.
    private struct Left: Sendable {
        let entry: AppSession.Entry
        let owner: SessionBook.Owner?
        let pds: Origin
    }

    private func logOut(_ left: [Left], _ lease: inout Lease, _ report: inout Report) async throws {
        var silent: Set<Origin> = []
        for account in left {
            guard try await lease.renew(), mayGoOn else { return }
            if silent.contains(account.pds) {
                report.waiting += 1
            } else if await logOut(account.entry, account.owner, &report) == .unreachable {
                silent.insert(account.pds)
            }
        }
    }

    private func logOut(
        _ entry: AppSession.Entry, _ owner: SessionBook.Owner?, _ report: inout Report
    ) async -> Logout {
        // The row without a session says when the first attempt failed.
        let mayForget =
            owner.map { $0.session == nil && now().timeIntervalSince($0.since) > Self.logoutTimeLimit }
            ?? false
        let outcome = await sessions.accounts.logOut(entry.id, mustTell: !mayForget)
        guard outcome == .done else {
            report.waiting += 1
            if owner?.session != nil || owner == nil {
                do { try await sessions.book.own(entry, by: nil) } catch {
                    log.warning(
                        "an owner row was not changed: \(error)", metadata: ["account": "\(entry.id)"])
                }
            }
            return outcome
        }
        report.loggedOut += 1
        await audit.write(.sessionExpired, did: entry.did, account: entry.id)
        return .done
    }

    /// Removes the owner rows whose accounts are gone. A row stays while a session has the account: those of protected sites are
    /// never in the vault, and one whose record is damaged may be restored. A login that began after the accounts were listed keeps
    /// its row, too.
    private func removeOwners(butOf present: Set<UUID>, before begin: Date) async throws {
        for (row, account, owner) in try await sessions.book.allOwners()
        where !present.contains(account) && begin.timeIntervalSince(owner.since) > Self.loginTime {
            if let found = try await session(of: owner), found.session.owns(account) { continue }
            try await rows.delete(row.key, if: .unchanged(row.revision))
        }
    }

    // MARK: Accounts that are not used

    private struct Idle: Sendable {
        let entry: AppSession.Entry
        let session: SessionBook.Found
    }

    /// The issuer of an account that was not refreshed for too long; nil for the others.
    private func issuerIfIdle(_ account: UUID) async throws -> String? {
        guard let idleAfter else { return nil }
        do {
            let session = try await store.session(account)
            let age = now().timeIntervalSince(session.obtainedAt)
            return age > Double(idleAfter.components.seconds) ? session.issuer : nil
        } catch {
            if error.code == .noSuchSession { return nil }
            throw error
        }
    }

    private enum Outcome { case refreshed, failed, ended }

    /// Refreshes the accounts of each issuer one after the other, and those of a few issuers at the same time.
    private func refresh(
        _ idle: [String: [Idle]], _ lease: inout Lease, _ report: inout Report
    ) async throws {
        var lines = idle.mapValues { $0[...] }
        var first = true
        while !lines.isEmpty {
            // One account of each of a few issuers, and then a pause: no issuer gets more than one request in it.
            if !first { try await Task.sleep(for: pace * Double.random(in: 1...1.5)) }
            first = false
            guard try await lease.renew(), mayGoOn else { return }
            let issuers = lines.keys.shuffled().prefix(Self.issuersAtOnce)
            let next = issuers.compactMap { lines[$0]?.popFirst() }
            lines = lines.filter { !$0.value.isEmpty }
            let outcomes = await withTaskGroup(of: Outcome.self) { group in
                for item in next { group.addTask { await refresh(item) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for outcome in outcomes {
                switch outcome {
                case .refreshed: report.refreshed += 1
                case .failed: report.notRefreshed += 1
                case .ended: report.ended += 1
                }
            }
        }
    }

    private func refresh(_ item: Idle) async -> Outcome {
        do {
            try await client.refresh(item.entry.id)
            return .refreshed
        } catch {
            guard await sessions.hasEnded(item.entry.id, after: error) else {
                log.warning(
                    "an idle account was not refreshed: \(error)", metadata: ["account": "\(item.entry.id)"])
                return .failed
            }
        }
        do { try await sessions.end(item.entry) } catch {
            log.warning(
                "an account that has ended is still in its session: \(error)",
                metadata: ["account": "\(item.entry.id)"])
        }
        await audit.write(
            .accountEnded, did: item.entry.did, account: item.entry.id, session: item.session.id)
        return .ended
    }
}

/// The part of `ATProtoClient` that refreshes.
protocol RefreshingClient: Sendable {
    func refresh(_ id: UUID) async throws(ATProtoFailure)
}

extension ATProtoClient: RefreshingClient {}
