internal import ATPCryptography
internal import ATProtoSessions
package import ATProtoVault
package import FoundationEssentials
internal import OAuthDPoP

/// The clients of the user's own in the vault.
package struct ClientStore: Sendable {
    private let vault: CredentialVault

    package init(_ vault: CredentialVault) {
        self.vault = vault
    }

    /// All clients, by name.
    package func all() throws -> [HostedClient] {
        try Self.decode(try vault.clients()).sorted { $0.name < $1.name }
    }

    /// The client with a name, or whose document or directory has this URL.
    ///
    /// - Throws: ``CoreError/unknownClient(_:known:)``
    package func find(_ name: String) throws -> HostedClient {
        let clients = try all()
        guard let client = clients.first(where: { $0.isNamed(name) }) else {
            throw CoreError.unknownClient(name, known: clients.map(\.name))
        }
        return client
    }

    /// The key that a session is bound to; nil for a session of a public client, or if a backend has the key.
    ///
    /// - Throws: ``SessionFailure/clientKeyMissing(_:keyID:)`` if this vault does not have it. Another key is never tried,
    ///   because the reference server then ends the session.
    func key(of client: Client) throws -> ClientKey? {
        try owner(of: client)?.1.secret
    }

    /// Adds a client.
    ///
    /// - Throws: ``CoreError/clientExists(_:)`` if another client has the name or the URL.
    package func add(_ client: HostedClient) async throws {
        try await vault.changeClients { contents in
            let clients = try Self.decode(contents)
            if let other = clients.first(where: { $0.name == client.name || $0.base == client.base }) {
                throw CoreError.clientExists(other)
            }
            return (client.id, client.record)
        }
    }

    /// Changes a client, under a lock.
    @discardableResult
    package func change(
        _ id: UUID, _ change: (inout HostedClient) throws -> Void
    ) async throws -> HostedClient {
        var changed: HostedClient?
        try await vault.changeClients { contents in
            guard var client = try Self.decode(contents).first(where: { $0.id == id }) else {
                throw CoreError.unknownClient(id.text, known: [])
            }
            try change(&client)
            changed = client
            return (id, client.record)
        }
        guard let changed else { throw CoreError.unknownClient(id.text, known: []) }
        return changed
    }

    /// Takes the client of an imported session. A client that is here already gets the key. No key is replaced.
    func adopt(_ carried: HostedClient) async throws {
        try await vault.changeClients { contents in
            let clients = try Self.decode(contents)
            var client =
                clients.first { $0.clientID == carried.clientID }
                ?? carried.renamed(besides: Set(clients.map(\.name)))
            for key in carried.keys { client.take(key) }
            return (client.id, client.record)
        }
    }

    /// Makes sure that the key of a login that is about to be saved is here: it may have been exported or removed while the
    /// user signed in.
    func keep(_ key: ClientKey, of client: HostedClient, loggedInAt now: Date) async throws {
        try await vault.changeClients { contents in
            let present = try Self.decode(contents).first { $0.clientID == client.clientID }
            var kept = present ?? client
            let label = client.keys.first { $0.id == key.keyID }?.label ?? key.keyID
            kept.take(
                HostedClient.Key(
                    label: label, publicKey: key.publicKey, secret: key, addedAt: now, lastLogin: now))
            return (kept.id, kept.record)
        }
    }

    /// Removes a client with its keys.
    package func remove(_ id: UUID) async throws {
        try await vault.changeClients { _ in (id, nil) }
    }

    private static func decode(
        _ contents: [(id: UUID, content: SecretBytes)]
    ) throws(CoreError) -> [HostedClient] {
        var clients: [HostedClient] = []
        for (_, content) in contents {
            do { clients.append(try HostedClient(record: content)) } catch {
                throw .unreadableClient(error)
            }
        }
        return clients
    }
}

extension HostedClient {
    fileprivate func isNamed(_ text: String) -> Bool {
        [name, base, clientID.description].contains(text) || base == text + "/"
    }
}
