internal import ATPCryptography
internal import ATPPlatform
internal import ATProtoSessions
internal import FoundationEssentials

/// The sealed file `intent` of an account: a rotation that began and has not ended.
///
/// The content is a ``RotationIntent``. The generation is that of the session with the refresh token that the rotation
/// spends.
struct IntentFiles: Sendable {
    let layout: VaultLayout
    let files: SealedFileStore

    func read(of id: UUID) throws(VaultError) -> RotationIntent? {
        let file = layout.intent(of: id)
        guard let content = try files.read(file)?.record.content else { return nil }
        guard let intent = RotationIntent(archive: String(decoding: content.bytes, as: UTF8.self)) else {
            throw file.damaged("is not a rotation intent")
        }
        return intent
    }

    /// Writes the intent of an account durably, or removes it. The caller holds the account's lock.
    func write(_ intent: RotationIntent?, generation: UInt64, of id: UUID) throws(VaultError) {
        let file = layout.intent(of: id)
        guard let intent else { return try VaultFiles.remove(file.path) }
        try files.write(SecretBytes(Array(intent.archive.utf8)), generation: generation, to: file)
    }

    /// Removes the intent of an account whose new session is durable. The same sync makes the other new names in the
    /// directory durable. An intent that stays is harmless, because its token is never used again.
    func end(of id: UUID, in directory: OpenDirectory) {
        do { try directory.remove(layout.intent(of: id).name) } catch {}
        do { try directory.sync() } catch {}
    }
}
