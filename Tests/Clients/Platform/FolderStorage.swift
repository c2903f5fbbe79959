import ATProtoSessions
import Foundation
import Synchronization

/// A place for texts of the app's own: a folder that only the user may read.
package struct FolderStorage: SecretStorage {
    private let folder: URL

    package init(_ path: String) throws {
        folder = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    package func text(_ name: String) async throws -> String? {
        do { return try String(contentsOf: file(name), encoding: .utf8) } catch CocoaError.fileReadNoSuchFile
        {
            return nil
        }
    }

    package func write(_ text: String, as name: String) async throws {
        let part = file(name + ".part")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard
            FileManager.default.createFile(
                atPath: part.path, contents: Data(text.utf8), attributes: attributes)
        else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forUpdating: part)
        try handle.synchronize()
        try handle.close()
        guard rename(part.path, file(name).path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        // The new name survives a loss of power when the folder is written, too.
        let directory = open(folder.path, O_RDONLY)
        guard directory >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    package func remove(_ name: String) async throws {
        do { try FileManager.default.removeItem(at: file(name)) } catch CocoaError.fileNoSuchFile {}
    }

    package func names() async throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }
}

/// A store of the app's own, which counts how often it gave new tokens.
package final class CountingStore: SessionStore {
    private let store: StoredSessions
    private let count = Mutex(0)

    package init(_ storage: FolderStorage) {
        store = StoredSessions(storage)
    }

    package var rotations: Int { count.withLock { $0 } }

    package func accounts() async throws(StoreError) -> [Account] { try await store.accounts() }
    package func account(_ id: UUID) async throws(StoreError) -> Account { try await store.account(id) }
    package func save(_ account: Account, _ session: Session) async throws(StoreError) {
        try await store.save(account, session)
    }
    package func update(_ account: Account) async throws(StoreError) { try await store.update(account) }
    package func remove(_ id: UUID) async throws(StoreError) { try await store.remove(id) }
    package func session(_ id: UUID) async throws(StoreError) -> Session { try await store.session(id) }

    package func rotate(
        _ id: UUID, holding: String, waiting limit: Duration,
        _ spend: nonisolated(nonsending) @Sendable (consuming RotationPermit) async -> RotationResult
    ) async throws(StoreError) -> Session {
        try await store.rotate(id, holding: holding, waiting: limit) { permit in
            let result = await spend(permit)
            if case .rotated = result { count.withLock { $0 += 1 } }
            return result
        }
    }
}
