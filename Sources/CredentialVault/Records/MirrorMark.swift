internal import Cryptography
package import FoundationEssentials
internal import Platform

/// A store elsewhere that an account's session is handed to whenever it changes.
///
/// An account has one from the first time on that its session was handed over from here, or where it was taken in
/// from a bundle, which may be what the store had. Which session the store has is noted as the generation of it,
/// durably, so that everything that writes a later one makes the store one that is behind, whoever writes it and
/// whatever ends the process then.
extension CredentialVault {
    /// Whether the store of an account has a session of an earlier generation than the vault; false where the
    /// account has no store.
    package func isStoreBehind(of id: UUID) throws(VaultError) -> Bool {
        guard let stored = try opened(handoverItem(id)) else { return false }
        return try read(.session, of: id).generation > stored.record.generation
    }

    /// Notes that the store of an account has its session of a generation.
    package func noteHandover(
        of generation: UInt64, of id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) {
        try require(lock, of: id)
        guard try opened(handoverItem(id))?.record.generation != generation else { return }
        try writeHandover(of: generation, of: id, in: layout.account(id))
    }

    /// The generation that it is sealed as is all that there is to say.
    func writeHandover(of generation: UInt64, of id: UUID, in directory: String) throws(VaultError) {
        let item = handoverItem(id)
        let bytes = try item.seal(SecretBytes([]), generation: generation, under: keys)
        try VaultFiles.write(bytes, to: directory + "/" + FileSystem.name(of: item.file))
    }

    func handoverItem(_ id: UUID) -> SealedItem {
        SealedItem(kind: .handover, owner: id, file: layout.handover(of: id))
    }
}
