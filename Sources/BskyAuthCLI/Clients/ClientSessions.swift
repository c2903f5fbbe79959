internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuth

/// The sessions in this vault that are bound to the keys of a client.
struct ClientSessions {
    private let counts: [String: Int]

    init(_ accounts: AccountStore, _ client: HostedClient) async throws {
        let keyIDs = try await accounts.map { entry -> String? in
            guard case .account(_, let session) = entry, let used = session.credential.oauth?.client,
                used.id == client.clientID, case .privateKeyJWT(let keyID) = used.authentication
            else { return nil }
            return keyID
        }
        counts = Dictionary(keyIDs.compactMap(\.self).map { ($0, 1) }, uniquingKeysWith: +)
    }

    func count(of key: HostedClient.Key) -> Int { counts[key.id] ?? 0 }

    /// The day after which no session of a key can live at the reference server; nil if that is not known, because another
    /// place has the key.
    static func lastDay(of key: HostedClient.Key) -> Date? {
        guard key.secret != nil else { return nil }
        // Without a login, there is no session; the key may have been exported with one that ended.
        guard let last = [key.lastLogin, key.exportedAt].compactMap(\.self).max() else { return key.addedAt }
        return last.addingTimeInterval(2 * 365.25 * 86400)
    }

    /// Whether a session may still need a key, here or elsewhere.
    func mayNeed(_ key: HostedClient.Key, at now: Date) -> Bool {
        guard let end = Self.lastDay(of: key) else { return true }
        return count(of: key) > 0 || end > now
    }
}
