import ATPCryptography
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation

/// A vault in a directory, as a store.
struct TestVault: Sendable {
    let vault: CredentialVault

    init(in directory: TemporaryDirectory) throws {
        try self.init(at: directory.path + "/vault", key: directory.path + "/key")
    }

    init(at home: String, key: String) throws {
        vault = try CredentialVault.create(at: home, key: .keyFile(path: key))
    }

    init(reopening path: String) throws {
        try self.init(reopening: path + "/vault", key: path + "/key")
    }

    init(reopening home: String, key: String) throws {
        vault = try CredentialVault.open(at: home, key: .keyFile(path: key))
    }

    var store: FileVault { FileVault(vault) }

    func add(_ session: Session) throws -> UUID {
        let id = UUID()
        try vault.add(
            id, profile: SecretBytes(Array("profile".utf8)), session: session.record, names: [])
        return id
    }

    /// Lets the first step of each removal fail.
    func breakRemovals() throws {
        try FileManager.default.removeItem(atPath: "\(vault.home)/workshop")
        try Data().write(to: URL(filePath: "\(vault.home)/workshop"))
    }

    func mendRemovals() throws {
        try FileManager.default.removeItem(atPath: "\(vault.home)/workshop")
    }

    /// Removes the lock's file, so that another lock of the account can be taken, and replaces the session.
    func replaceWithoutLock(_ session: Session, of id: UUID) throws {
        let file = "\(vault.home)/locks/\(id.uuidString.lowercased()).lock"
        try FileManager.default.removeItem(atPath: file)
        guard let lock = try vault.tryLock(id) else { throw VaultError.busy(holder: nil) }
        try vault.replaceSession(session.record, of: id, under: lock)
    }
}
