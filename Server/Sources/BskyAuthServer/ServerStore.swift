internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthEtcdRows
internal import BskyAuthPostgresRows
internal import BskyAuthRows
internal import BskyAuthSQLiteRows
internal import BskyAuthServerSupport
internal import FoundationEssentials

/// Where the server keeps its rows, and how it comes to the store of a vault that its replicas share.
enum ServerStore {
    /// Opens the rows: those of this machine in SQLite, or those of all replicas in a store.
    static func rows(_ configuration: Configuration) throws -> any RowStore {
        guard let store = configuration.store else { return try SQLiteRows(in: configuration.rowsFolder) }
        return try shared(store.url, try store.passwordFile.map(password))
    }

    /// Copies the rows of this machine into a folder.
    ///
    /// - Returns: false if they are in a store.
    static func copy(_ configuration: Configuration, into folder: String) async throws -> Bool {
        guard configuration.store == nil else { return false }
        try await SQLiteRows(in: configuration.rowsFolder).copy(into: folder)
        return true
    }

    /// Opens the vault of the server; nil if there is none.
    static func openVault(
        _ configuration: Configuration, countedBy metrics: Metrics? = nil
    ) async throws -> FileVault? {
        do {
            return try await FileVault.open(
                at: configuration.vaultFolder, key: .keyFile(configuration.vaultKeyFile),
                stores: FileVault.Stores {
                    let rows = try shared($0, $1)
                    return metrics.map { CountedRows(rows: rows, name: "vault", metrics: $0) } ?? rows
                })
        } catch {
            switch error.code {
            case .missing: return nil
            case .notOpened:
                throw ServerStoreError.notOpened(configuration.vaultFolder, key: configuration.vaultKeyFile)
            default: throw error
            }
        }
    }

    private static func shared(_ url: String, _ password: String?) throws -> any RowStore {
        if ["postgres:", "postgresql:"].contains(where: url.hasPrefix) {
            return try PostgresRows(url: url, password: password)
        }
        return try EtcdRows(url: url, password: password) { OutgoingCurl.transport($0) }
    }

    /// Whether the URL of a store can be used.
    static func problem(of url: String, hasPassword: Bool) -> String? {
        do {
            _ = try shared(url, hasPassword ? "unread" : nil)
            return nil
        } catch { return "\(error)" }
    }

    private static func password(_ file: String) throws -> String {
        guard let bytes = try PrivateFiles.readSecret(file, upTo: 4096) else {
            throw ServerStoreError.noPassword(file)
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    // MARK: Replicas

    /// Refuses a vault that does not fit the settings. With rows of its own and a shared vault, a sweep would log out of the accounts
    /// of other machines.
    static func check(_ vault: FileVault, _ configuration: Configuration) throws {
        switch (vault.isShared, configuration.store) {
        case (true, nil): throw ServerStoreError.noStore(configuration.vaultFolder)
        case (false, _?): throw ServerStoreError.notShared(configuration.vaultFolder)
        default: return
        }
    }
}

/// Why the server can't work with its store, in words for the operator.
enum ServerStoreError: Error, CustomStringConvertible {
    case noPassword(String)
    case noVault(String, key: String)
    case noStore(String)
    case notShared(String)
    case foreignKeys(String)
    case notOpened(String, key: String)
    case noAuthorities(String)

    var description: String {
        switch self {
        case .noPassword(let file):
            "the password of the store is not in \(file), because there is no such file."
        case .noVault(let folder, let key):
            "there is no vault in \(folder). Join the one that another replica shares: "
                + "`bskyauth --home \(folder) --key-file \(key) vault join URL`."
        case .noStore(let folder):
            "other machines share the vault in \(folder), but the settings have no [store]. Replicas need the same rows."
        case .notShared(let folder):
            "the settings have a [store], but the vault in \(folder) is not shared. On the first replica, run "
                + "`bskyauth --home \(folder) --key-file KEY vault share --to URL`."
        case .foreignKeys(let row):
            "the vault of this replica can't open the row \(row) of the store. Another vault has sealed it, or it is damaged. Use the "
                + "`url` in [store] that the replicas of this vault use, or join the vault that belongs to these rows."
        case .notOpened(let folder, let key):
            "the key file \(key) does not open the vault \(folder). It is the key of another vault, or it is missing, or others may read "
                + "it. Check vault_key_file in the settings, and the file's owner and mode."
        case .noAuthorities(let file):
            "the certificates in \(file), which CURL_CA_BUNDLE or SSL_CERT_FILE names, can't be read. Check the path, and that the "
                + "server's user may read the file."
        }
    }
}
