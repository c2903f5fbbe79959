internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoOAuth
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// How accounts are shown: the JSON object of docs/bskyauth.schema.json, and the words for a terminal.
enum AccountText {
    /// The number of seconds before the end of a session at which the user is warned.
    static let expiringWithin = 3.0 * 86400

    /// The state for the user, derived from the record and the clock.
    static func state(_ account: Account, _ session: Session, now: Date) -> String {
        switch session.state {
        case .uncertain: return "uncertain"
        case .expired, .quarantined: return "expired"
        case .ok:
            if session.endsAt <= now { return "expired" }
            if session.refreshToken == nil && !session.lives(at: now) { return "expired" }
            return session.endsAt.timeIntervalSince(now) < expiringWithin ? "expiring" : "ok"
        }
    }

    /// When the session ends, or ended at the latest; nil if it ended early at an unknown time.
    static func end(_ account: Account, _ session: Session, now: Date) -> Date? {
        let hasEnded = state(account, session, now: now) == "expired"
        return hasEnded && session.endsAt > now ? nil : session.endsAt
    }

    /// When the session ends: `in 2 years`, and `if unused` where only a refresh puts the end off. The end of an unused session
    /// is not shown beside a later one until it is near.
    static func endWords(_ account: Account, _ session: Session, now: Date) -> String? {
        guard let end = end(account, session, now: now) else { return nil }
        guard end == session.idleEndsAt, end > now else { return TimeText.relative(end, to: now) }
        if let life = session.lifeEndsAt, end.timeIntervalSince(now) >= expiringWithin {
            return TimeText.relative(life, to: now)
        }
        return "\(TimeText.relative(end, to: now)) if unused"
    }

    /// What becomes of a session that its server could not be told to end: `ends in 13 days`.
    ///
    /// - Parameter session: nil if it is unreadable.
    static func rest(_ account: Account, _ session: Session?, now: Date) -> String {
        guard let end = session.flatMap({ Self.end(account, $0, now: now) }) else { return "ends by itself" }
        return "\(end < now ? "ended" : "ends") \(TimeText.relative(end, to: now))"
    }

    /// - Parameter attempt: a refresh with the session's token that the server may have made.
    static func json(
        _ account: Account, _ session: Session, unclear attempt: RotationIntent?, isActive: Bool, now: Date
    ) -> JSONValue {
        let oauth = session.credential.oauth
        return [
            "id": .string(account.id.text),
            "label": JSONValue(account.label),
            "did": .string(account.did.description),
            "handle": JSONValue(account.handle?.description),
            "pds": .string(account.pds.description),
            "issuer": JSONValue(oauth?.issuer.description),
            "client_id": JSONValue(oauth?.client.id.description),
            "client_key_id": JSONValue(oauth?.client.keyID),
            "client_assertions": JSONValue(oauth?.client.backend?.origin.description),
            "auth": .string(session.credential.name),
            "scopes": JSONValue(session.scope.values),
            "requested_scope": JSONValue(session.requestedScope),
            "active": .bool(isActive),
            "state": .string(state(account, session, now: now)),
            "access_expires_at": .string(TimeText.rfc3339(session.accessExpiresAt)),
            "session_created_at": .string(TimeText.rfc3339(session.createdAt)),
            "session_ends_at": JSONValue(
                date(session.lifeEndsAt ?? session.idleEndsAt, account, session, now: now)),
            "idle_ends_at": JSONValue(date(session.idleEndsAt, account, session, now: now)),
            "added_at": .string(TimeText.rfc3339(account.addedAt)),
            "last_refresh_at": .string(TimeText.rfc3339(session.obtainedAt)),
            "refresh_open": attempt.map { openRefresh($0, session) } ?? .null,
            "last_error": JSONValue(session.lastError),
            "jkt": JSONValue(oauth?.key.thumbprint),
        ]
    }

    private static func openRefresh(_ attempt: RotationIntent, _ session: Session) -> JSONValue {
        [
            "since": .string(TimeText.rfc3339(attempt.startedAt)),
            "until": .string(TimeText.rfc3339(session.accessExpiresAt)),
        ]
    }

    /// One of the ends; nil if the session ended before it.
    private static func date(
        _ end: Date?, _ account: Account, _ session: Session, now: Date
    ) -> String? {
        guard let end, end <= now || state(account, session, now: now) != "expired" else { return nil }
        return TimeText.rfc3339(end)
    }

    /// An account that can't be opened. Unknown members are null.
    static func unreadable(_ id: UUID, isActive: Bool) -> JSONValue {
        var object = JSONObject()
        for name in [
            "label", "did", "handle", "pds", "issuer", "client_id", "client_key_id", "client_assertions",
            "auth",
            "scopes", "requested_scope", "access_expires_at",
            "session_created_at", "session_ends_at", "idle_ends_at", "added_at", "last_refresh_at",
            "refresh_open", "last_error", "jkt",
        ] {
            object[name] = .null
        }
        object["id"] = .string(id.text)
        object["active"] = .bool(isActive)
        object["state"] = "unreadable"
        return .object(object)
    }

    /// `@alice.example.com (work)`, or the DID if no handle is verified.
    static func name(_ account: Account) -> String {
        let handle = account.handle.map { "@\($0)" } ?? account.did.description
        return account.label.map { "\(handle) (\($0.escapedForTerminal))" } ?? handle
    }

    /// The same for a line about an account that was removed: that it was the session without a label, if sessions with a label
    /// are still there.
    static func removedName(_ account: Account, from accounts: VaultAccounts) -> String {
        let others = (try? accounts.others(named: account.did.description, than: account)) ?? []
        guard account.label == nil, !others.isEmpty else { return name(account) }
        let labels = others.compactMap(\.label).map(\.escapedForTerminal).joined(separator: ", ")
        return "\(name(account)) (without a label; still here: \(labels))"
    }

    /// The key that sorts lists of accounts: the handle, and then the label.
    static func sortKey(_ account: Account) -> String {
        "\(account.handle?.description ?? account.did.description) \(account.label ?? "")"
    }

    /// A word that a command line finds this account by: its label or its handle, or the beginning of its UUID if they mean
    /// another account or none.
    static func selector(_ account: Account, in accounts: VaultAccounts) -> String {
        let own = [account.label, account.handle?.description].compactMap(\.self).first { name in
            (try? accounts.find(name))?.id == account.id
        }
        return own?.escapedForTerminal.shellQuoted ?? selector(account)
    }

    /// The same if the other accounts are not known: the beginning of its UUID.
    static func selector(_ account: Account) -> String { short(account.id) }

    private static func short(_ id: UUID) -> String { String(id.text.prefix(8)) }

    /// That a label is also the label of other accounts, with the word that names only this one; nil if it is not.
    static func sharedLabel(of account: Account, in accounts: VaultAccounts) throws -> String? {
        guard let label = account.label else { return nil }
        let others = try accounts.others(named: label, than: account)
        guard let other = others.first else { return nil }
        let rest = others.count > 1 ? " and \(others.count - 1) more" : ""
        return "\(name(other))\(rest) has the label \(label.escapedForTerminal) too; "
            + "to name this account, type:  -a \(selector(account, in: accounts))"
    }

    /// The command that logs in to an account again as before: the same label, client and permissions.
    static func loginCommand(_ login: AccountLogin) -> String {
        loginCommand(login.account, login.terms)
    }

    static func loginCommand(_ account: Account, _ terms: LoginTerms) -> String {
        var words = [loginCommand(account)]
        switch terms {
        case .appPassword: words.append("--app-password")
        case .oauth(let scope, let client):
            if let client { words += options(client) }
            // With a client of one's own, a login without a scope asks for that of the client.
            if let scope, client != nil || scope != Scope(LoginRequest.defaultScope) {
                // A login asks for `atproto` anyway, but for nothing else only where it is named.
                let others = scope.values.filter { $0 != Scope.atproto }
                for value in others.isEmpty ? [Scope.atproto] : others {
                    words.append("--scope \(value.escapedForTerminal.shellQuoted)")
                }
            }
        }
        return words.joined(separator: " ")
    }

    /// The options that name the client of a login. An enrolment code is not one of them, because it works once.
    private static func options(_ client: Client) -> [String] {
        guard let backend = client.backend else {
            let name = "--client \(client.id.description.escapedForTerminal.shellQuoted)"
            return [name] + (client.keyID.map { ["--client-key=\($0.escapedForTerminal.shellQuoted)"] } ?? [])
        }
        let files = backend.certificate.map {
            [
                "--client-cert \($0.file.escapedForTerminal.shellQuoted)",
                "--client-cert-key \($0.keyFile.escapedForTerminal.shellQuoted)",
            ]
        }
        return ["--client-assertions \(backend.origin)"] + (files ?? [])
    }

    /// The command that logs in to an account through the browser with the default permissions.
    static func loginCommand(_ account: Account) -> String {
        let name = (account.handle?.description ?? account.did.description).shellQuoted
        return "bskyauth login \(name)"
            + (account.label.map { " --label \($0.escapedForTerminal.shellQuoted)" } ?? "")
    }

    /// `-a work (@alice.example.com)  or  -a 9b1a77c0 (@alice.example.com, ci)`; of very many, the first ones.
    ///
    /// - Parameters:
    ///   - option: what stands before each name; nothing where a name was given that may be an argument.
    ///   - refused: the name that was not enough to choose one.
    static func choices(_ accounts: [Account], option: String = "-a ", refused: String? = nil) -> String {
        let shown = accounts.prefix(mostChoices).map { account in
            let own = account.label ?? account.handle?.description ?? ""
            let isUnique = own != refused && accounts.filter { $0.answers(to: own) }.count == 1
            let selector = isUnique ? own.escapedForTerminal.shellQuoted : short(account.id)
            return "\(option)\(selector) (\(described(account, besides: isUnique ? own : nil)))"
        }.joined(separator: "  or  ")
        let rest = accounts.count - mostChoices
        return rest > 0 ? "\(shown)  or \(rest) more" : shown
    }

    /// The handle and the label of an account, without the one that is shown beside them; then its UUID if nothing is left.
    private static func described(_ account: Account, besides shown: String?) -> String {
        let handle = account.handle.map(\.description) ?? account.did.description
        var parts: [String] = []
        if handle != shown { parts.append(account.handle == nil ? handle : "@\(handle)") }
        if let label = account.label, label != shown { parts.append(label.escapedForTerminal) }
        return parts.isEmpty ? short(account.id) : parts.joined(separator: ", ")
    }

    private static let mostChoices = 10
}
