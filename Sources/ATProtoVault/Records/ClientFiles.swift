package import ATPCryptography
package import FoundationEssentials

/// `clients/UUID` and `clients/UUID.copy`: the sealed files of the clients of the user's own, with their private keys.
///
/// A key that is lost ends every session that is bound to it, so each file has a second copy. Every change of the
/// directory needs the header's lock.
struct ClientFiles: Sendable {
    let layout: VaultLayout
    let files: SealedFileStore

    /// All clients.
    ///
    /// - Throws: ``VaultError/damaged(file:reason:)`` for the first file that does not open.
    func all() throws(VaultError) -> [(id: UUID, content: SecretBytes)] {
        var found: [(id: UUID, content: SecretBytes)] = []
        for id in try ids() {
            if let content = try files.read(layout.client(id))?.record.content {
                found.append((id, content))
            } else if try VaultFiles.exists(layout.clientCopy(id).path) {
                throw layout.client(id).damaged("is missing")
            }
            // Otherwise it was removed since the directory was read.
        }
        return found
    }

    /// The clients whose file or copy is there, sorted.
    private func ids() throws(VaultError) -> [UUID] {
        try VaultFiles.verifyDirectory(layout.clients)
        let names = try VaultFiles.names(in: layout.clients).map { $0.split(separator: ".")[0] }
        return Set(names.compactMap { UUID(text: String($0)) }).sorted()
    }

    /// The files and their copies, whether they open or not.
    func allFiles() throws(VaultError) -> [SealedFile] {
        try ids().flatMap { [layout.client($0), layout.clientCopy($0)] }
    }

    /// How often a client was changed; 0 for no such client.
    func generation(of id: UUID) throws(VaultError) -> UInt64 {
        try VaultFiles.verifyDirectory(layout.clients)
        return try files.read(layout.client(id))?.record.generation ?? 0
    }

    /// Adds or replaces a client. The copy is written last.
    func write(_ content: SecretBytes, of id: UUID, generation: UInt64) throws(VaultError) {
        try VaultFiles.createDirectory(layout.clients)
        try VaultFiles.removeLeftovers(in: layout.clients)
        for file in [layout.client(id), layout.clientCopy(id)] {
            try files.write(content, generation: generation, to: file)
        }
    }

    /// Removes a client and its keys. The copy goes first, so that it is never the only one that is left.
    func remove(_ id: UUID) throws(VaultError) {
        for file in [layout.clientCopy(id), layout.client(id)] where try VaultFiles.exists(file.path) {
            try VaultFiles.remove(file.path)
        }
    }

    /// Repairs each file from the other one. Two damaged files stay.
    func restore() throws(VaultError) -> [Restoration] {
        var done: [Restoration] = []
        for id in try ids() {
            if let restoration = try restore(id) { done.append(restoration) }
        }
        return done
    }

    private func restore(_ id: UUID) throws(VaultError) -> Restoration? {
        let (file, copy) = (layout.client(id), layout.clientCopy(id))
        let (found, foundCopy) = (try readable(file), try readable(copy))
        switch (found, foundCopy) {
        case (.success(let client), .success(let second)):
            guard client.record.generation != second.record.generation else { return nil }
            return try renew(copy, from: client, .copyRenewed)
        case (.success(let client), .failure): return try renew(copy, from: client, .copyRenewed)
        case (.failure, .success(let second)):
            return try renew(file, from: second, .restored(mayBeSpent: false))
        case (.failure(let error), .failure):
            return Restoration(account: nil, file: file.path, outcome: .left(error))
        }
    }

    private func renew(
        _ file: SealedFile, from source: OpenedFile, _ outcome: Restoration.Outcome
    ) throws(VaultError) -> Restoration {
        try files.write(source.record.content, generation: source.record.generation, to: file)
        return Restoration(account: nil, file: file.path, outcome: outcome)
    }

    /// A file that opens, or why it is damaged or missing.
    private func readable(_ file: SealedFile) throws(VaultError) -> Result<OpenedFile, VaultError> {
        do { return .success(try files.require(file)) } catch {
            guard case .damaged = error else { throw error }
            return .failure(error)
        }
    }

    /// Seals the files under the current vault key. Damaged files stay, because they are of no use under any key.
    func reseal() throws(VaultError) {
        try VaultFiles.removeLeftovers(in: layout.clients)
        for file in try allFiles() {
            do { try files.reseal(file) } catch {
                guard case .damaged = error else { throw error }
            }
        }
    }
}

/// The clients of the user's own. Their content is opaque here.
extension CredentialVault {
    package func clients() throws(VaultError) -> [(id: UUID, content: SecretBytes)] { try clientFiles.all() }

    /// Changes the clients under a lock, durably. Those of a shared vault are changed in its store first.
    ///
    /// - Parameter change: gets the present clients, and returns the new content of one of them or of a new one; nil
    ///   content removes it.
    package func changeClients<Failure: Error>(
        _ change: ([(id: UUID, content: SecretBytes)]) throws(Failure) -> (id: UUID, content: SecretBytes?)
    ) async throws {
        if let sharedAccounts { return try await sharedAccounts.changeClients(change) }
        let lock = try header.lock()
        let (id, content) = try change(try clientFiles.all())
        if let content {
            try clientFiles.write(content, of: id, generation: try clientFiles.generation(of: id) + 1)
        } else {
            try clientFiles.remove(id)
        }
        _ = consume lock
    }

    /// Repairs the files of clients from their second copies.
    package func restoreClients() throws(VaultError) -> [Restoration] {
        let lock = try header.lock()
        let done = try clientFiles.restore()
        _ = consume lock
        return done
    }
}
