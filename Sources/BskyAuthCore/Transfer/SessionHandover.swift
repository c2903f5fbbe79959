package import CredentialVault
internal import FoundationEssentials

/// Where a session is kept outside of this machine, as in the secret store of a CI service: one value, of which
/// the last that was stored counts.
package protocol SecretStore: Sendable {
    /// Stores a bundle in place of the one before it.
    func store(_ bundle: SealedBundle, _ occasion: SessionHandover.Occasion) async throws(SecretStoreFailure)
}

/// Why a store did not say that it has the bundle.
package enum SecretStoreFailure: Error, Sendable, Hashable {
    /// It could not be asked: a reason in the system's words.
    case notStarted(String)
    /// It answered with this exit status.
    case failed(Int32)
    /// It was ended by this signal.
    case signalled(Int32)
    case timedOut
    /// The process is to end, and nothing was spent yet.
    case interrupted
}

/// Hands each session to a store whenever its tokens change, so that the store has the ones that are good.
///
/// The store gets the session as it is before a refresh token is spent: where that does not work nothing is
/// spent. It gets it again once the new tokens are durable, under the same lock, so that what two processes
/// hand over arrives in the order of their rotations.
///
/// What the store has is noted in the vault each time, before the refresh token is spent the first time. So a
/// store that did not get the new session is known to be behind, and the next command that hands over begins with
/// that, whether or not it has anything to refresh (``SessionEnvironment/makeUp(for:under:)``).
package struct SessionHandover: Sendable {
    package enum Moment: String, Sendable {
        /// Before the refresh token is spent.
        case before
        /// When the new tokens are durable here.
        case after
    }

    /// What a store is told beside the bundle. Nothing of it is secret.
    package struct Occasion: Sendable {
        package let account: AccountProfile
        /// Of the session in the bundle: of two the higher is later.
        package let generation: UInt64
        package let moment: Moment
    }

    private let sealer: BundleSealer
    private let store: any SecretStore

    /// - Parameter key: what bundles are sealed for.
    package init(sealingFor key: KeySource, to store: any SecretStore) {
        sealer = BundleSealer(for: key)
        self.store = store
    }

    func handOver(
        _ profile: AccountProfile, _ moment: Moment, from accounts: AccountStore,
        under lock: borrowing AccountLock
    ) async throws {
        let account = try accounts.portable(profile.id, under: lock)
        let bundle = try await sealer.seal(account)
        do {
            try await store.store(
                bundle, Occasion(account: profile, generation: account.generation, moment: moment))
        } catch .interrupted {
            throw CoreError.cancelled
        } catch let error {
            throw CoreError.handover(profile, moment, error)
        }
        try accounts.noteHandover(of: account.generation, of: profile.id, under: lock)
    }
}
