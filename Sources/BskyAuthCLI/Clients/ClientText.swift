internal import ATPJSON
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// How clients are shown: the JSON object of docs/bskyauth.schema.json, and tables for a terminal. Private keys are
/// never shown.
enum ClientText {
    static func json(_ clients: [HostedClient], in accounts: VaultAccounts) async throws -> JSONValue {
        var list: [JSONValue] = []
        for client in clients { list.append(json(client, try await ClientSessions(accounts, client))) }
        return ["schema": "bskyauth.clients/1", "clients": .array(list)]
    }

    private static func json(_ client: HostedClient, _ sessions: ClientSessions) -> JSONValue {
        [
            "name": .string(client.name),
            "client_id": .string(client.clientID.description),
            "type": .string(client.kind.rawValue),
            "scopes": JSONValue(client.scope.values),
            "published_here": .bool(client.isPublished),
            "directory": JSONValue(client.directory),
            "keys": .array(client.keys.map { json($0, sessions) }),
        ]
    }

    private static func json(_ key: HostedClient.Key, _ sessions: ClientSessions) -> JSONValue {
        [
            "label": .string(key.label),
            "kid": .string(key.id),
            "here": .bool(key.secret != nil),
            "added_at": .string(TimeText.rfc3339(key.addedAt)),
            "last_login_at": JSONValue(key.lastLogin.map { TimeText.rfc3339($0) }),
            "exported_at": JSONValue(key.exportedAt.map { TimeText.rfc3339($0) }),
            "sessions_here": JSONValue(sessions.count(of: key)),
            "not_needed_after": JSONValue(ClientSessions.lastDay(of: key).map { TimeText.rfc3339($0) }),
        ]
    }

    static func table(_ clients: [HostedClient]) -> Table {
        var table = Table(header: ["NAME", "TYPE", "KEYS", "URL"])
        for client in clients {
            let keys = client.keys.map(\.label.escapedForTerminal).joined(separator: ", ")
            table.append([
                client.name.escapedForTerminal, client.kind == .web ? "with keys" : "public",
                keys.isEmpty ? "-" : keys, client.base.escapedForTerminal,
            ])
        }
        return table
    }

    static func table(of client: HostedClient, _ sessions: ClientSessions) -> Table {
        var table = Table(header: [
            "LABEL", "HERE", "SESSIONS HERE", "LAST LOGIN", "EXPORTED", "NOT NEEDED AFTER", "KID",
        ])
        for key in client.keys {
            table.append([
                key.label.escapedForTerminal, key.secret == nil ? "no" : "yes", "\(sessions.count(of: key))",
                day(key.lastLogin), day(key.exportedAt), lastDay(of: key), key.id,
            ])
        }
        return table
    }

    private static func lastDay(of key: HostedClient.Key) -> String {
        ClientSessions.isUnused(key) ? "not used yet" : day(ClientSessions.lastDay(of: key))
    }

    /// A day in UTC.
    private static func day(_ date: Date?) -> String {
        date.map { String(TimeText.rfc3339($0).prefix(10)) } ?? "-"
    }
}
