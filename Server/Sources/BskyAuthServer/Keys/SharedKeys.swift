internal import ATProtoVault
internal import BskyAuthRows
internal import FoundationEssentials

/// The keys that all replicas have: rows of their store, sealed under the key of their vault. The files of a replica are copies.
struct SharedKeys: Sendable {
    let rows: any RowStore
    let vault: FileVault

    /// Changes the keys of a kind in the store, and then the file, which also gets what the other replicas have changed.
    ///
    /// - Parameter change: is called again if another replica changes the keys meanwhile.
    fileprivate func update(
        _ file: inout KeyFile, _ change: (inout KeyFile) throws -> Void
    ) async throws {
        let name = "keys/\(file.kind.rawValue)"
        while true {
            let row = try await rows.get(name)
            var shared: [StoredKey] = []
            if let row {
                shared = try JSONDecoder().decode(
                    [StoredKey].self, from: Data(try await open(row, as: name)))
            }
            var changed = file
            changed.take(shared)
            try change(&changed)
            if changed.keys.map(\.kid) != shared.map(\.kid) {
                let bytes = try await vault.seal(Array(JSONEncoder().encode(changed.keys)), as: name)
                let condition = row.map { RowCondition.unchanged($0.revision) } ?? .absent
                guard try await rows.put(name, bytes, if: condition) != nil else { continue }
            }
            file = changed
            return try file.save()
        }
    }

    private func open(_ row: StoredRow, as name: String) async throws -> [UInt8] {
        do { return try await vault.open(row.value, as: name) } catch {
            throw ServerStoreError.foreignKeys(row.key)
        }
    }
}

extension SharedKeys {
    /// Opens the store and the vault of the replicas; nil for a server alone.
    static func open(_ configuration: Configuration) async throws -> SharedKeys? {
        guard configuration.store != nil else { return nil }
        guard let vault = try await ServerStore.openVault(configuration) else {
            throw ServerStoreError.noVault(configuration.vaultFolder, key: configuration.vaultKeyFile)
        }
        try ServerStore.check(vault, configuration)
        return SharedKeys(rows: try ServerStore.rows(configuration), vault: vault)
    }
}

extension KeyFile {
    /// Changes the keys and saves the file. If replicas share the keys, they are changed in the store first.
    mutating func update(in shared: SharedKeys?, _ change: (inout KeyFile) throws -> Void) async throws {
        if let shared { return try await shared.update(&self, change) }
        let before = keys.map(\.kid)
        try change(&self)
        if keys.map(\.kid) != before { try save() }
    }
}
