internal import ATPCryptography
internal import FoundationEssentials

/// The state of an account's mirror.
package enum MirrorState: Sendable {
    /// The account has no mirror.
    case none
    /// An earlier session than the vault.
    case behind
    /// The same session as the vault.
    case current
}

/// The sealed file `handover` of an account: the generation of the session that the account's mirror has.
///
/// A mirror is a secret store elsewhere that gets every new session of the account. An account has a mirror
/// from the first time that its session was sent to a mirror. An account that came from a bundle also counts as having a
/// mirror, because the bundle may come from that mirror.
///
/// The file has no content; its generation is the session's. A process that writes a later session thereby marks the
/// mirror as behind, even if the process is killed afterwards.
struct MirrorMark: Sendable {
    let records: RecordFiles

    private var layout: VaultLayout { records.layout }

    func state(of id: UUID) throws(VaultError) -> MirrorState {
        guard let generation = try generation(of: id) else { return .none }
        return try records.read(.session, of: id).generation > generation ? .behind : .current
    }

    /// Notes that the mirror has the session of a generation. The caller holds the account's lock.
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
