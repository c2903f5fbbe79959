package import Cryptography
package import FoundationEssentials

/// The records of an account outside any vault.
package struct PortableAccount: Sendable, Equatable {
    package let id: UUID
    package let profile: SecretBytes
    package let session: SecretBytes
    /// The generation of the session. A vault that imports the account continues to count from here. So of two
    /// bundles of an account, the one with the higher generation is later, whichever machines they come from.
    package let generation: UInt64

    package init(id: UUID, profile: SecretBytes, session: SecretBytes, generation: UInt64) {
        self.id = id
        self.profile = profile
        self.session = session
        self.generation = generation
    }
}
