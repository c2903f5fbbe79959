package import FoundationEssentials
internal import Platform

extension CredentialVault {
    /// The intent of an account, which is only the truth for who has the lock.
    package func intent(
        of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> RotationIntent? {
        try require(lock, of: id)
        return try intents.read(of: id)
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
        let session = try records.newest(.session, of: id)
        let generation = session.file.record.generation
        let found = try intents.read(of: id)
        let earlier = found?.tokenFingerprint == tokenFingerprint ? found : nil
        let intent = RotationIntent(
            tokenFingerprint: tokenFingerprint, startedAt: date, attempt: (earlier?.attempt ?? 0) + 1)
        try VaultFiles.removeLeftovers(in: layout.account(id))
        for file in session.stale { try VaultFiles.write(session.file.bytes, to: file) }
        let length = size + SealedFile.overhead
        let directory = try VaultFiles.open(layout.account(id))
        let record = try VaultFiles.reserve(layout.record(.session, of: id).path, in: directory, size: length)
        // The record's space is certain. The copy counts only if the record can't be written all the same.
        let copy = try VaultFiles.reserve(
            layout.copy(.session, of: id).path, in: directory, size: length, durably: false)
        try intents.write(intent, generation: generation, of: id)
        return RotationPermit(
            self, lock, directory, record: record, copy: copy, generation: generation, intent: intent,
            earlier: earlier)
    }
}
