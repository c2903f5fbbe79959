internal import ATPPlatform
package import FoundationEssentials
internal import Synchronization

/// Records of accounts that were read, for as long as their files stay the same. A process that makes many calls would otherwise
/// decrypt them again for each.
package final class RecordMemory<Value: Sendable>: Sendable {
    private struct File: Sendable, Equatable {
        let path: String
        let version: FileVersion

        init(_ path: String) throws(SystemError) {
            self.path = path
            version = try FileVersion(of: path)
        }

        /// Whether it is the same file with the same content.
        var isSame: Bool { (try? FileVersion(of: path)) == version }
    }

    private struct Known {
        let files: [File]
        let value: Value
    }

    private let layout: VaultLayout
    private let kind: RecordKind
    private let known = Mutex<[UUID: Known]>([:])

    /// The most records that are kept. A session takes a few kilobytes, so all take some tens of megabytes.
    private static var most: Int { 16_384 }

    package init(of kind: RecordKind, in vault: CredentialVault) {
        self.kind = kind
        layout = vault.layout
    }

    /// The record, if it is known and its files have not changed. This does not wait for the disk as reading does: it asks only
    /// for the status of the files.
    package func value(of id: UUID) -> Value? {
        guard let entry = known.withLock({ $0[id] }) else { return nil }
        if entry.files.allSatisfy(\.isSame) { return entry.value }
        forget(id)
        return nil
    }

    /// Reads the record, and keeps it if its files stayed the same meanwhile.
    package func read(
        _ id: UUID, at now: Date, by read: () throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        let files = files(of: id)
        let value = try read()
        guard let files, files.allSatisfy({ $0.version.isSettled(at: now) && $0.isSame }) else {
            return value
        }
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[id] = Known(files: files, value: value)
        }
        return value
    }

    package func forget(_ id: UUID) { known.withLock { $0[id] = nil } }

    /// The files of a record: that of a session has a second copy, which may be newer. Nil if one is missing or can't be looked
    /// at; then the record is read anew.
    private func files(of id: UUID) -> [File]? {
        let files = [layout.record(kind, of: id)] + (kind == .session ? [layout.copy(kind, of: id)] : [])
        return try? files.map { file throws(SystemError) in try File(file.path) }
    }
}
