package import ATPCryptography
internal import ATPPlatform
package import FoundationEssentials
internal import Synchronization

/// Records of accounts that were read. While its files are the same, a record is not read again. While its bytes are the same, it is
/// not decoded again: a process that makes many calls keeps the opened key of its session.
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
        /// Nil if they changed so lately that another change may not show.
        let files: [File]?
        let record: SecretBytes
        let value: Value
    }

    private let records: RecordFiles
    private let decode: @Sendable (UUID, SecretBytes) throws(VaultError) -> Value
    private let kind: RecordKind
    private let known = Mutex<[UUID: Known]>([:])

    /// The most records that are kept. A session takes a few kilobytes, so all take some tens of megabytes.
    private static var most: Int { 16_384 }

    package init(
        of kind: RecordKind, in vault: CredentialVault,
        decoding decode: @escaping @Sendable (UUID, SecretBytes) throws(VaultError) -> Value
    ) {
        self.kind = kind
        self.decode = decode
        records = vault.records
    }

    /// The record, if it is known and its files have not changed. This does not wait for the disk as reading does: it asks only
    /// for the status of the files.
    package func value(of id: UUID) -> Value? {
        guard let entry = known.withLock({ $0[id] }), let files = entry.files,
            files.allSatisfy(\.isSame)
        else { return nil }
        return entry.value
    }

    /// Reads the record, and decodes it if its bytes are others than the last time.
    package func read(_ id: UUID) throws(VaultError) -> Value {
        let earlier = known.withLock { $0.removeValue(forKey: id) }
        let record = try records.read(kind, of: id).content
        let value =
            if let earlier, earlier.record == record { earlier.value } else { try decode(id, record) }
        keep(Known(files: nil, record: record, value: value), of: id)
        return value
    }

    /// The same, for a process that asks often: ``value(of:)`` tells the record from now on, if its files stayed the same meanwhile.
    package func read(_ id: UUID, at now: Date) throws(VaultError) -> Value {
        let files = files(of: id)
        let value = try read(id)
        guard let files, files.allSatisfy({ $0.version.isSettled(at: now) && $0.isSame }) else {
            return value
        }
        known.withLock { known in
            known[id] = known[id].map { Known(files: files, record: $0.record, value: $0.value) }
        }
        return value
    }

    private func keep(_ entry: Known, of id: UUID) {
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[id] = entry
        }
    }

    package func forget(_ id: UUID) { known.withLock { $0[id] = nil } }

    /// The files of a record: that of a session has a second copy, which may be newer. Nil if one is missing or can't be looked
    /// at; then the record is read anew.
    private func files(of id: UUID) -> [File]? {
        let layout = records.layout
        let files = [layout.record(kind, of: id)] + (kind == .session ? [layout.copy(kind, of: id)] : [])
        return try? files.map { file throws(SystemError) in try File(file.path) }
    }
}
