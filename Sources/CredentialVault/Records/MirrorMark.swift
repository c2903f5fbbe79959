internal import Cryptography
internal import FoundationEssentials

/// The sealed file `handover` of an account: which generation of its session the account's mirror has.
///
/// A mirror is a secret store elsewhere that gets every new session of the account. An account has a mirror
/// from the first time that its session was sent to one. An account that came from a bundle has one too, because
/// the bundle may be what the mirror had.
///
/// The file has no content; its generation is the session's. So every process that writes a later session makes
/// the mirror behind, however that process ends.
struct MirrorMark: Sendable {
    let records: RecordFiles

    private var layout: VaultLayout { records.layout }

    /// Whether the mirror has an earlier session than the vault; false if the account has no mirror.
    func isBehind(of id: UUID) throws(VaultError) -> Bool {
        guard let generation = try generation(of: id) else { return false }
        return try records.read(.session, of: id).generation > generation
    }

    /// Notes that the mirror has the session of a generation. Only under the account's lock.
    func note(_ generation: UInt64, of id: UUID) throws(VaultError) {
        guard try self.generation(of: id) != generation else { return }
        try write(generation, of: id, in: layout.account(id))
    }

    /// The generation that the mirror has; nil if the account has no mirror.
    func generation(of id: UUID) throws(VaultError) -> UInt64? {
        try records.files.read(layout.mirrorMark(of: id))?.record.generation
    }

    func write(_ generation: UInt64, of id: UUID, in directory: String) throws(VaultError) {
        let file = layout.mirrorMark(of: id)
        let bytes = try records.files.seal(SecretBytes([]), generation: generation, as: file)
        try VaultFiles.write(bytes, to: directory + "/" + file.name)
    }
}
