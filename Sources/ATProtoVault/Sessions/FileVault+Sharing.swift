internal import ATPCryptography
public import ATProtoSessions
public import BskyAuthRows
public import FoundationEssentials

extension FileVault {
    /// Opens the stores of vaults that `bskyauth vault share` and `bskyauth vault join` have shared between machines.
    public struct Stores: Sendable {
        let opener: StoreOpener

        /// - Parameter rows: opens the rows at a URL, or refuses it. It gets the password that the vault keeps for that store. It
        ///   should send nothing yet.
        public init(rows: @escaping @Sendable (_ url: String, _ password: String?) throws -> any RowStore) {
            opener = StoreOpener { url, password throws(VaultError) in
                let text = password.map { String(decoding: $0.bytes, as: UTF8.self) }
                do { return try rows(url, text) } catch { throw .storeURL(url, "\(error)") }
            }
        }
    }

    /// Whether other machines have the vault too.
    public var isShared: Bool { vault.isShared }

    /// The session of an account as all machines that share the vault have it. ``session(_:)`` reads the copy of this machine, which
    /// serves while its access token lives.
    public func newest(_ id: UUID) async throws(StoreError) -> Session {
        guard vault.isShared else { return try await session(id) }
        return try await Self.blocking { () async throws(VaultError) in
            guard try await vault.place.isThere(id) else { throw .noSuchAccount(id) }
            let lock = try await vault.lock(id, timeout: Self.longestTurn)
            try await rules.catchUp(id, under: lock)
            return try vault.session(of: id)
        }
    }

    /// Seals a secret of a program under the vault's key, for a place that others can read, such as a row of a store.
    ///
    /// - Parameters:
    ///   - secret: the bytes to seal.
    ///   - name: tells the secrets of the program apart. The bytes open under this name only.
    public func seal(_ secret: [UInt8], as name: String) async throws(StoreError) -> [UInt8] {
        try await Self.blocking { () throws(VaultError) in
            try vault.files.seal(SecretBytes(secret), generation: 0, as: programSecret(name))
        }
    }

    /// Opens what ``seal(_:as:)`` has sealed here, or on another machine that shares the vault.
    public func open(_ sealed: [UInt8], as name: String) async throws(StoreError) -> [UInt8] {
        try await Self.blocking { () throws(VaultError) in
            try vault.files.open(programSecret(name), sealed).record.content.bytes
        }
    }

    private func programSecret(_ name: String) -> SealedFile {
        SealedFile(
            kind: .programSecret, owner: vault.id, path: "the secret \(name)", context: Array(name.utf8))
    }

    /// Reads an account's record here, or takes the account from the store first.
    func reading<Value>(
        _ id: UUID, _ read: () throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        do { return try read() } catch {
            guard case .noSuchAccount = error, try await vault.place.isThere(id) else { throw error }
            return try read()
        }
    }
}
