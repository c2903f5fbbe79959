internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// The sessions in this vault that are bound to the keys of a client.
struct ClientSessions {
    /// The issuers of the sessions, by key id.
    private let issuers: [String: [Issuer]]

    init(_ accounts: VaultAccounts, _ client: HostedClient) async throws {
        let used = try await accounts.map { entry -> (String, [Issuer])? in
            guard case .account(_, let session) = entry, let credential = session.credential.oauth,
                credential.client.id == client.clientID,
                let keyID = credential.client.keyID
            else { return nil }
            return (keyID, [credential.issuer])
        }
        issuers = Dictionary(used.compactMap(\.self), uniquingKeysWith: +)
    }

    func count(of key: HostedClient.Key) -> Int { issuers[key.id]?.count ?? 0 }

    /// Where the user can sign the app out, which ends the sessions of a key; empty if none of them is here.
    func accountPages(of key: HostedClient.Key) -> [String] {
        Set(issuers[key.id] ?? []).map(ErrorPresenter.accountPage).sorted()
    }

    /// The day after which no session of a key can live at the reference server; nil if that is not known, because the key
    /// is or was at another place, or if it was never used.
    static func lastDay(of key: HostedClient.Key) -> Date? {
        guard key.secret != nil, key.exportedAt == nil else { return nil }
        return key.lastLogin?.addingTimeInterval(2 * 365.25 * 86400)
    }

    /// Whether a key was made here and never used, here or elsewhere.
    static func isUnused(_ key: HostedClient.Key) -> Bool {
        key.secret != nil && key.exportedAt == nil && key.lastLogin == nil
    }

    /// Whether a session may still need a key, here or elsewhere.
    func mayNeed(_ key: HostedClient.Key, at now: Date) -> Bool {
        guard !Self.isUnused(key) else { return count(of: key) > 0 }
        return count(of: key) > 0 || Self.lastDay(of: key).map { $0 > now } ?? true
    }
}
