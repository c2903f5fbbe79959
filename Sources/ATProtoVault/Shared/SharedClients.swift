internal import ATPCryptography
internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import OAuthDPoP

/// The clients of the user's own in a shared vault: the rows `clients/UUID`. A session that every machine refreshes needs the key
/// of its client on every machine.
///
/// A row has the bytes of a client's file. Of a row and a file, the one with the higher generation is newer. A client that was
/// removed leaves a row without content, so a row that is missing is one that the store has lost.
extension SharedAccounts {
    /// The row of a client.
    private struct ClientRow {
        let id: UUID
        /// Empty if the client was removed.
        let content: SecretBytes
        let generation: UInt64
        let revision: Revision
    }

    private static let clientKeys = "clients/"

    /// Takes over the clients that other machines have changed, and gives the store those that it lacks.
    func takeClients() async throws(VaultError) {
        let rows = try await clientRows()
        let lock = try vault.header.lock()
        for row in rows where try row.generation > vault.clientFiles.generation(of: row.id) {
            try keep(row.content, row.generation, of: row.id)
        }
        _ = consume lock
        for (id, content) in try vault.clients() {
            let row = rows.first { $0.id == id }
            let generation = try vault.clientFiles.generation(of: id)
            if generation > row?.generation ?? 0 {
                // If another machine is faster, the next call finds out who is newer.
                _ = try await write(content, generation, of: id, over: row)
            }
        }
    }

    /// Changes the clients, in the store first. See ``CredentialVault/changeClients(_:)``.
    func changeClients<Failure: Error>(
        _ change: ([(id: UUID, content: SecretBytes)]) throws(Failure) -> (id: UUID, content: SecretBytes?)
    ) async throws {
        while true {
            _ = try await storeHeader()
            try await takeClients()
            let rows = try await clientRows()
            let (id, changed) = try change(
                rows.filter { !$0.content.bytes.isEmpty }.map { ($0.id, $0.content) })
            let content = changed ?? SecretBytes([])
            let row = rows.first { $0.id == id }
            let generation = (row?.generation ?? 0) + 1
            guard try await write(content, generation, of: id, over: row) else { continue }
            let lock = try vault.header.lock()
            try keep(content, generation, of: id)
            _ = consume lock
            return
        }
    }

    /// Takes all clients out of the store. They are on this machine.
    func removeClients() async throws(VaultError) {
        for row in try await list(Self.clientKeys) {
            do { try await store.rows.delete(row.key, if: .always) } catch { throw .store(error) }
        }
    }

    private func clientRows() async throws(VaultError) -> [ClientRow] {
        var rows: [ClientRow] = []
        for row in try await list(Self.clientKeys) {
            guard let id = UUID(text: String(row.key.dropFirst(Self.clientKeys.count))) else { continue }
            let record = try files.open(Self.file(of: id), row.value).record
            rows.append(
                ClientRow(
                    id: id, content: record.content, generation: record.generation, revision: row.revision))
        }
        return rows
    }

    private static func file(of client: UUID) -> SealedFile {
        SealedFile(kind: .client, owner: client, path: "the row of the client \(client.text)")
    }

    /// - Returns: false if another row was there.
    private func write(
        _ content: SecretBytes, _ generation: UInt64, of id: UUID, over row: ClientRow?
    ) async throws(VaultError) -> Bool {
        let bytes = try files.seal(content, generation: generation, as: Self.file(of: id))
        let condition = row.map { RowCondition.unchanged($0.revision) } ?? .absent
        do { return try await store.rows.put(Self.clientKeys + id.text, bytes, if: condition) != nil } catch {
            throw .store(error)
        }
    }

    /// Writes or removes the files of a client. The caller holds the header's lock.
    private func keep(_ content: SecretBytes, _ generation: UInt64, of id: UUID) throws(VaultError) {
        if content.bytes.isEmpty {
            try vault.clientFiles.remove(id)
        } else {
            try vault.clientFiles.write(content, of: id, generation: generation)
        }
    }
}

extension Session {
    /// The key of the client that the session is bound to, if a vault has to have it.
    var clientKeyID: String? {
        guard let client = credential.oauth?.client, client.backend == nil else { return nil }
        return client.keyID
    }
}
