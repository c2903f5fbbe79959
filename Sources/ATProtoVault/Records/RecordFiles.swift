internal import ATPCryptography
internal import FoundationEssentials

/// The records of accounts on disk: `profile` and `session`, each with a second copy.
///
/// A record is written before its copy. So the copy is ahead only if the session's record could not be written at the end
/// of a rotation. Then only the copy has an unspent token. A profile's copy is never ahead.
struct RecordFiles: Sendable {
    let layout: VaultLayout
    let files: SealedFileStore

    /// The newer of a record and its second copy.
    struct Newest: Sendable {
        let file: OpenedFile
        /// The session's files that differ from it. A profile's copy is not read.
        let stale: [String]
    }

    func read(_ kind: RecordKind, of id: UUID) throws(VaultError) -> StoredRecord {
        try newest(kind, of: id).file.record
    }

    /// Reads the newer of a record and its second copy.
    ///
    /// - Throws: the record's error, even if the copy is undamaged. The copy may be older, so the user decides whether to
    ///   use it (``AccountRestorer``).
    func newest(_ kind: RecordKind, of id: UUID) throws(VaultError) -> Newest {
        let file = layout.record(kind, of: id)
        try VaultFiles.verifyDirectory(layout.account(id))
        guard let record = try files.read(file) else {
            try AccountDirectories(layout: layout).require(id)
            throw file.damaged("is missing")
        }
        guard kind == .session else { return Newest(file: record, stale: []) }
        let copy = layout.copy(kind, of: id)
        do {
            let bytes = try VaultFiles.read(copy.path)
            if bytes == record.bytes { return Newest(file: record, stale: []) }
            // The generation is readable without opening the copy.
            if let bytes, SealedFile.generation(of: bytes) > record.record.generation {
                return Newest(file: try files.open(copy, bytes), stale: [file.path])
            }
        } catch {
            // The record is usable without its copy. VaultChecker reports an unusable copy.
        }
        return Newest(file: record, stale: [copy.path])
    }

    /// Writes a new record and its copy into a directory that later becomes the account's directory.
    func create(
        _ kind: RecordKind, _ content: SecretBytes, generation: UInt64, of id: UUID, in directory: String
    ) throws(VaultError) {
        let record = layout.record(kind, of: id)
        let bytes = try files.seal(content, generation: generation, as: record)
        for file in [record, layout.copy(kind, of: id)] {
            try VaultFiles.write(bytes, to: directory + "/" + file.name)
        }
    }

    /// Writes the next generation of a record, then its second copy. The caller holds the account's lock.
    func replace(_ kind: RecordKind, _ content: SecretBytes, of id: UUID) throws(VaultError) {
        try write(kind, content, generation: try nextGeneration(of: kind, of: id), of: id)
    }

    /// Writes a record of a generation, then its second copy. The caller holds the account's lock.
    func write(
        _ kind: RecordKind, _ content: SecretBytes, generation: UInt64, of id: UUID
    ) throws(VaultError) {
        let record = layout.record(kind, of: id)
        let bytes = try files.seal(content, generation: generation, as: record)
        try VaultFiles.removeLeftovers(in: layout.account(id))
        try VaultFiles.write(bytes, to: record.path)
        do {
            try VaultFiles.write(bytes, to: layout.copy(kind, of: id).path)
        } catch {
            // The record is durable, so a missing copy is no error.
            dropCopy(kind, of: id)
        }
    }

    /// The generation after the record's. For a damaged record, a number that is higher than any real generation.
    private func nextGeneration(of kind: RecordKind, of id: UUID) throws(VaultError) -> UInt64 {
        do {
            return try read(kind, of: id).generation &+ 1
        } catch {
            guard case .damaged = error else { throw error }
            return UInt64(max(0, Date().timeIntervalSince1970))
        }
    }

    /// Removes a second copy that could not be renewed. If the record were damaged later, the copy's older generation
    /// would be mistaken for the current one.
    func dropCopy(_ kind: RecordKind, of id: UUID) {
        // If this fails too, the next rotation renews the copy.
        do { try VaultFiles.remove(layout.copy(kind, of: id).path) } catch {}
    }

    /// Seals a record under the current vault key. If the copy has the same generation, it gets the same bytes.
    func reseal(_ kind: RecordKind, of id: UUID) throws(VaultError) {
        let copy = layout.copy(kind, of: id)
        try files.reseal(layout.record(kind, of: id))
        guard let record = try files.read(layout.record(kind, of: id)),
            let bytes = try VaultFiles.read(copy.path),
            SealedFile.generation(of: bytes) == record.record.generation
        else { return try files.reseal(copy) }
        if bytes != record.bytes { try VaultFiles.write(record.bytes, to: copy.path) }
    }
}
