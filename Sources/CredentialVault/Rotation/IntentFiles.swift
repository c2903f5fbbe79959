internal import Cryptography
package import FoundationEssentials
internal import Platform

extension CredentialVault {
    /// The intent of an account, which is only the truth for who has the lock.
    package func intent(
        of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> RotationIntent? {
        try require(lock, of: id)
        return try storedIntent(of: id)
    }

    /// Prepares for spending a refresh token: first the space for the new record, then the intent, both durable.
    ///
    /// - Parameters:
    ///   - tokenFingerprint: which token.
    ///   - size: the most bytes that the new session can have.
    package func beginRotation(
        of id: UUID, under lock: consuming AccountLock, tokenFingerprint: String, reserving size: Int,
        at date: Date
    ) throws(VaultError) -> RotationPermit {
        try require(lock, of: id)
        let session = try newest(.session, of: id)
        let generation = session.file.record.generation
        let found = try storedIntent(of: id)
        let earlier = found?.tokenFingerprint == tokenFingerprint ? found : nil
        let intent = RotationIntent(
            tokenFingerprint: tokenFingerprint, startedAt: date, attempt: (earlier?.attempt ?? 0) + 1)
        try VaultFiles.removeLeftovers(in: layout.account(id))
        for file in session.stale { try VaultFiles.write(session.file.bytes, to: file) }
        let length = size + SealedItem.overhead
        let directory = try VaultFiles.open(layout.account(id))
        let record = try VaultFiles.reserve(layout.record(.session, of: id), in: directory, size: length)
        // It counts only where the record fails that has its space for sure.
        let copy = try VaultFiles.reserve(
            layout.copy(.session, of: id), in: directory, size: length, durably: false)
        try store(intent, generation: generation, of: id)
        return RotationPermit(
            self, lock, directory, record: record, copy: copy, generation: generation, intent: intent,
            earlier: earlier)
    }

    /// Writes or clears the intent of an account. Only under its lock.
    func store(_ intent: RotationIntent?, generation: UInt64, of id: UUID) throws(VaultError) {
        let item = intentItem(id)
        guard let intent else { return try VaultFiles.remove(item.file) }
        let bytes = try item.seal(intent.content, generation: generation, under: keys)
        try VaultFiles.write(bytes, to: item.file)
    }

    /// Clears the intent of an account whose new record is durable, and makes the other new names in its directory
    /// durable. If the intent stays, it does no harm: it names no token that would be used.
    func endIntent(of id: UUID, in directory: OpenDirectory) {
        do { try directory.remove(FileSystem.name(of: layout.intent(of: id))) } catch {}
        do { try directory.sync() } catch {}
    }

    func storedIntent(of id: UUID) throws(VaultError) -> RotationIntent? {
        let item = intentItem(id)
        guard let content = try opened(item)?.record.content else { return nil }
        do {
            if let intent = try RotationIntent(content) { return intent }
        } catch {}
        throw item.damaged("is no intent")
    }

    func intentItem(_ id: UUID) -> SealedItem {
        SealedItem(kind: .intent, owner: id, file: layout.intent(of: id))
    }
}
