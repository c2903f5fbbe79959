internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials
internal import OAuthDPoP

/// The client of a session inside a bundle: without its key, the session could be neither refreshed nor logged out.
///
/// It is the member `client` of the session's plaintext. Only bundles have it. A vault keeps clients apart.
enum CarriedClient {
    private static let member = "client"

    /// The record of a session together with its client and the one key that it is bound to.
    static func record(_ session: SecretBytes, carrying client: HostedClient) throws -> SecretBytes {
        guard var members = (try? JSONParser.parse(session.bytes))?.object,
            let carried = try? JSONParser.parse(client.record.bytes)
        else { throw CoreError.unreadableBundle(UnreadableRecord(member: member)) }
        members[member] = carried
        return SecretBytes(Array(JSONValue.object(members).text.utf8))
    }

    /// The client that the record of a session carries; nil for a session of a public client, or whose client's key a
    /// backend has.
    ///
    /// - Throws: ``CoreError/unreadableBundle(_:)`` if it is not the client of the session, or its key is not.
    static func read(from record: SecretBytes, of session: Session) throws -> HostedClient? {
        guard let used = session.credential.oauth?.client, used.backend == nil, let keyID = used.keyID
        else { return nil }
        let unreadable = CoreError.unreadableBundle(UnreadableRecord(member: member))
        guard let json = (try? JSONParser.parse(record.bytes))?[member] else { throw unreadable }
        let client: HostedClient
        do { client = try HostedClient(json: json) } catch { throw unreadable }
        guard client.clientID == used.id, client.keys.count == 1, client.keys[0].id == keyID,
            let secret = client.keys[0].secret, secret.keyID == keyID, (try? secret.verify()) != nil
        else { throw unreadable }
        return client
    }
}

extension HostedClient {
    /// The client with one of its keys, for another vault. That vault does not publish it.
    func carried(with key: Key) -> HostedClient {
        HostedClient(
            name: name, kind: kind, base: base, displayName: displayName, scope: scope, isPublished: false,
            keys: [key])
    }
}

extension ClientStore {
    /// The client and the key of a session; nil for a public client, or if a backend has the key.
    ///
    /// - Throws: ``SessionFailure/clientKeyMissing(_:keyID:)``
    func owner(of client: Client) throws -> (HostedClient, HostedClient.Key)? {
        guard client.backend == nil, let keyID = client.keyID else { return nil }
        guard let known = try all().first(where: { $0.clientID == client.id }),
            let key = known.keys.first(where: { $0.id == keyID }), key.secret != nil
        else { throw SessionFailure.clientKeyMissing(client.id, keyID: keyID) }
        return (known, key)
    }

    /// Notes that a key left the vault in a bundle.
    ///
    /// - Parameter isNeeded: whether a session here still needs it. Otherwise its private half is removed here.
    func noteExport(of keyID: String, _ client: HostedClient, at now: Date, isNeeded: Bool) async throws {
        try await change(client.id) { client in
            guard let index = client.keys.firstIndex(where: { $0.id == keyID }) else { return }
            client.keys[index].exportedAt = now
            if !isNeeded { client.keys[index].secret = nil }
        }
    }
}
