internal import ATPCryptography
internal import ATPPlatform
internal import FoundationEssentials

/// Space on disk for the next session record of an account, and for its second copy.
///
/// The account's directory is held open. Another directory may take its path before the record is written.
struct ReservedSession: ~Copyable, Sendable {
    /// The account's directory.
    let directory: OpenDirectory
    private let account: UUID
    private let records: RecordFiles
    private let record: ReservedFile
    private let copy: ReservedFile

    /// Reserves the space. The caller holds the account's lock.
    ///
    /// - Parameter size: the largest possible size of the session, in bytes.
    init(of id: UUID, in records: RecordFiles, size: Int) throws(VaultError) {
        let layout = records.layout
        let length = size + SealedFile.overhead
        let directory = try VaultFiles.open(layout.account(id))
        let record = try VaultFiles.reserve(layout.record(.session, of: id).path, in: directory, size: length)
        // The record has its space, so the copy matters only if writing the record fails for another reason.
        let copy = try VaultFiles.reserve(
            layout.copy(.session, of: id).path, in: directory, size: length, durably: false)
        self.directory = directory
        self.account = id
        self.records = records
        self.record = record
        self.copy = copy
    }

    /// Writes the record durably, then its second copy.
    ///
    /// - Returns: whether the record has the session. If not, only the copy has it. Readers take the copy if its generation is
    ///   higher.
    /// - Throws: only if neither has the session.
    consuming func commit(_ content: SecretBytes, generation: UInt64) throws(VaultError) -> Bool {
        let file = records.layout.record(.session, of: account)
        let bytes = try records.files.seal(content, generation: generation, as: file)
        var failure: SystemError?
        do { try record.commit(bytes) } catch { failure = error }
        do {
            // After a durable record, the copy needs no own sync: the caller changes the same directory next.
            try copy.commit(bytes, syncsName: failure != nil)
        } catch {
            if let failure { throw VaultError(writing: failure) }
            records.dropCopy(.session, of: account)
        }
        return failure == nil
    }
}
