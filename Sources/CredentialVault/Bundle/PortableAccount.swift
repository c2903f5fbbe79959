package import Cryptography
package import FoundationEssentials

/// The records of an account outside of every vault.
package struct PortableAccount: Sendable, Equatable {
    /// Whose records they are.
    package let id: UUID
    package let profile: SecretBytes
    package let session: SecretBytes
    /// The generation of the session where it came from. Whoever takes it in counts on from here, so that of two
    /// bundles of one account the higher is later, whichever machines they come from.
    package let generation: UInt64

    package init(id: UUID, profile: SecretBytes, session: SecretBytes, generation: UInt64) {
        self.id = id
        self.profile = profile
        self.session = session
        self.generation = generation
    }
}

extension CredentialVault {
    /// An account as it is stored now, to be taken elsewhere. Only under its lock are the two records of one
    /// moment.
    package func portable(
        _ id: UUID, under lock: borrowing AccountLock
    ) throws(VaultError) -> PortableAccount {
        try require(lock, of: id)
        let profile = try read(.profile, of: id)
        let session = try read(.session, of: id)
        return PortableAccount(
            id: id, profile: profile.content, session: session.content, generation: session.generation)
    }
}
