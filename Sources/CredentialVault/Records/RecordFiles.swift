internal import Cryptography
package import FoundationEssentials

/// A sealed file as it was read and opened.
struct OpenedFile: Sendable {
    let bytes: [UInt8]
    let record: StoredRecord
}

/// The newer one of a record and its second copy.
struct NewestFile: Sendable {
    let file: OpenedFile
    /// Which of a session's two are not the same; a profile's copy is not looked at.
    let stale: [String]
}

extension CredentialVault {
    /// Opens a record of an account.
    package func read(_ kind: RecordKind, of id: UUID) throws(VaultError) -> StoredRecord {
        try newest(kind, of: id).file.record
    }

    /// The newer one of a record and its second copy.
    ///
    /// They are written in this order, so the copy is ahead only where the session could not be written at the
    /// end of a rotation: the copy then has the only token that is not spent. Of a profile it never is.
    ///
    /// - Throws: what is wrong with the record, whatever the copy is worth: taking the copy then is for the
    ///   user to say (``restore(_:under:)``), since it may be an older one.
    func newest(_ kind: RecordKind, of id: UUID) throws(VaultError) -> NewestFile {
        let item = item(kind, of: id)
        try VaultFiles.verifyDirectory(layout.account(id))
        guard let record = try opened(item) else {
            try requireAccount(id)
            throw item.damaged("is missing")
        }
        guard kind == .session else { return NewestFile(file: record, stale: []) }
        let copy = copyItem(kind, of: id)
        do throws(VaultError) {
            let bytes = try VaultFiles.read(copy.file)
            if bytes == record.bytes { return NewestFile(file: record, stale: []) }
            // Most are not ahead, and need not be opened to see it.
            if let bytes, SealedItem.generation(of: bytes) > record.record.generation {
                return NewestFile(file: try open(copy, bytes), stale: [item.file])
            }
        } catch {
            // A second copy that can't be used takes nothing from the record; ``check()`` names it.
        }
        return NewestFile(file: record, stale: [copy.file])
    }

    /// Takes away a second copy that could not be written anew: one of an older generation would be taken for
    /// the current one if the record were damaged.
    func dropCopy(_ kind: RecordKind, of id: UUID) {
        // Where even that fails, the next rotation renews it.
        do { try VaultFiles.remove(layout.copy(kind, of: id)) } catch {}
    }

    /// nil where there is no such file.
    func opened(_ item: SealedItem) throws(VaultError) -> OpenedFile? {
        guard let bytes = try VaultFiles.read(item.file) else { return nil }
        return try open(item, bytes)
    }

    /// Opens a file under the key it names, be it the one before.
    private func open(_ item: SealedItem, _ bytes: [UInt8]) throws(VaultError) -> OpenedFile {
        let named = SealedItem.keyID(of: bytes)
        if let retiring, named == retiring.id {
            return OpenedFile(bytes: bytes, record: try item.open(bytes, under: retiring))
        }
        if let named, named != keys.id { try requireCurrentKey() }
        return OpenedFile(bytes: bytes, record: try item.open(bytes, under: keys))
    }

    func item(_ kind: RecordKind, of id: UUID) -> SealedItem {
        SealedItem(kind: kind.sealed, owner: id, file: layout.record(kind, of: id))
    }

    func copyItem(_ kind: RecordKind, of id: UUID) -> SealedItem {
        SealedItem(kind: kind.sealed, owner: id, file: layout.copy(kind, of: id))
    }
}
