package import Cryptography
package import FoundationEssentials
package import Platform

/// An open vault: sealed files of accounts, each under keys of its own.
///
/// What is read is what was written for that account, or an error that names the file. What is written is
/// durable when the call returns; after a crash at any instant a file is the old one or the new one. Reading
/// takes no lock.
package final class CredentialVault: Sendable {
    /// Which vault it is; minted when it was made.
    package let id: UUID
    /// The directory it is in.
    package let home: String

    let layout: VaultLayout
    let keys: VaultKeys
    /// The keys before these, while a change of the vault key has not ended: to read by, never to seal under.
    let retiring: VaultKeys?
    /// Those that the vault was used on before it was opened.
    let machines: [MachineMark]
    /// The header as it was when the vault was opened.
    private let header: [UInt8]

    /// How long a change that adds or removes something waits for another such change.
    static let headerTimeout = Duration.seconds(10)

    /// The vault of a header that is authentic under these keys.
    init(_ header: VaultHeader, _ layout: VaultLayout, _ keys: VaultKeys) throws(VaultError) {
        id = header.id
        self.layout = layout
        self.keys = keys
        retiring = try header.retiring?.unwrap(keys, of: header.id)
        machines = header.machines
        self.header = header.bytes
        home = layout.home
    }

    /// Whether there is a vault in a directory.
    ///
    /// - Throws: ``VaultError/headerMissing(home:)`` where there are accounts without their header.
    package static func exists(at home: String) throws(VaultError) -> Bool {
        let layout = VaultLayout(home: home)
        if try VaultFiles.exists(layout.header) { return true }
        // The header is written before the directory of the accounts is made.
        if try VaultFiles.exists(layout.accounts) { throw .headerMissing(home: home) }
        return false
    }

    /// Makes a vault. A key file that does not exist is made as well.
    ///
    /// - Parameter machine: the one it is made on, where that can be told.
    /// - Throws: ``VaultError/exists(home:)`` where there is one.
    package static func create(
        at home: String, key: KeySource, cost: Scrypt.Parameters = .standard, machine: MachineID? = nil
    ) throws(VaultError) -> CredentialVault {
        let layout = VaultLayout(home: home)
        guard try !exists(at: home) else { throw .exists(home: home) }
        do throws(VaultError) { try VaultFiles.createDirectory(home) } catch {
            // Nothing of a vault is there that could be damaged.
            guard case .damaged = error else { throw error }
            throw .noDirectory(home: home)
        }
        try VaultFiles.createDirectory(layout.locks)
        let lock = try lockHeader(layout)
        guard try !exists(at: home) else { throw .exists(home: home) }
        let (header, keys) = try newHeader(key, cost, machine)
        do { try AtomicFile.create(header.bytes, at: layout.header) } catch {
            throw error.isExisting ? .exists(home: home) : .io(error)
        }
        copyHeader(header.bytes, layout)
        _ = consume lock
        return try CredentialVault(header, layout, keys)
    }

    private static func newHeader(
        _ key: KeySource, _ cost: Scrypt.Parameters, _ machine: MachineID?
    ) throws(VaultError) -> (VaultHeader, VaultKeys) {
        let secret = try key.newSecret()
        let id = UUID()
        let keys: VaultKeys
        let slot: KeySlot
        do {
            keys = try VaultKeys.random()
            slot = try KeySlot(for: key, secret, cost, of: id, keys)
        } catch {
            throw .cryptography(error)
        }
        let marks = machine.map { MachineMark($0, in: id) }
        let content = VaultHeader.Content(
            id: id, keyID: keys.id, slots: [slot], retiring: nil, machines: marks.map { [$0] } ?? [])
        return (VaultHeader(content, keys), keys)
    }

    /// Opens a vault.
    package static func open(at home: String, key: KeySource) throws(VaultError) -> CredentialVault {
        let layout = VaultLayout(home: home)
        let header = try header(layout)
        let keys = try unlock(header, key)
        guard header.isAuthentic(keys) else {
            throw VaultHeader.inauthentic(layout.header)
        }
        return try CredentialVault(header, layout, keys)
    }

    // MARK: Data outside of the vault

    /// A code that only this vault can compute, for data that is kept where others can write. It changes with the
    /// vault key.
    package func code(ofCached message: [UInt8]) -> [UInt8] {
        keys.code(.cache, id.bytes, message: message)
    }

    /// Whether data that was kept elsewhere is what this vault computed a code of.
    package func isAuthentic(_ code: [UInt8], ofCached message: [UInt8]) -> Bool {
        ConstantTime.equals(code, self.code(ofCached: message))
    }

    /// The header of a vault that is there and private.
    static func header(_ layout: VaultLayout) throws(VaultError) -> VaultHeader {
        try VaultHeader(try headerBytes(layout), file: layout.header)
    }

    private static func headerBytes(_ layout: VaultLayout) throws(VaultError) -> [UInt8] {
        let home = layout.home
        guard try exists(at: home) else { throw .noVault(home: home) }
        try VaultFiles.verifyDirectory(home)
        try VaultFiles.verifyDirectory(layout.accounts)
        guard let bytes = try VaultFiles.read(layout.header) else { throw .noVault(home: home) }
        return bytes
    }

    private static func unlock(_ header: VaultHeader, _ key: KeySource) throws(VaultError) -> VaultKeys {
        let slots = header.slots.filter { $0.method.fits(key) }
        guard !slots.isEmpty else { throw .noSuchSlot }
        let secret = try key.secret()
        for slot in slots {
            do {
                return try slot.unwrap(secret, vault: header.id, keyID: header.keyID)
            } catch {
                guard error == .authenticationFailed else { throw .cryptography(error) }
            }
        }
        switch key {
        case .passphrase: throw .wrongPassphrase
        case .keyFile(let path): throw .wrongKeyFile(path: path)
        }
    }

    /// The lock of everything that is not one account's: the header, who is active, which accounts there are.
    func lockHeader(waiting timeout: Duration = headerTimeout) throws(VaultError) -> AdvisoryLock {
        let lock = try Self.lockHeader(layout, waiting: timeout)
        try requireCurrentKey()
        return lock
    }

    /// The same for what takes no key.
    static func lockHeader(
        _ layout: VaultLayout, waiting timeout: Duration = headerTimeout
    ) throws(VaultError) -> AdvisoryLock {
        do {
            return try AdvisoryLock.acquireBlocking(layout.headerLock, timeout: timeout)
        } catch {
            throw VaultError(error, at: layout.headerLock)
        }
    }

    /// Makes sure that what is written now will be read: another process may have changed the vault key since
    /// this one was opened. It is asked under a lock, which a change of the key waits for.
    func requireCurrentKey() throws(VaultError) {
        let bytes = try Self.headerBytes(layout)
        guard bytes != header else { return }
        let header = try VaultHeader(bytes, file: layout.header)
        guard header.id == id else { throw VaultHeader.inauthentic(layout.header) }
        guard header.keyID == keys.id else { throw .keyChanged }
    }
}
