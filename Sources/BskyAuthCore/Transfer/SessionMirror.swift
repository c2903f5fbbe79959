package import ATProtoSessions
package import ATProtoVault
internal import FoundationEssentials

/// A place for a copy of a session outside this machine, such as the secret store of a CI service. It holds one bundle:
/// the last one that was stored.
package protocol MirrorDestination: Sendable {
    /// Stores a bundle in place of the previous bundle.
    func store(_ bundle: SealedBundle, _ occasion: SessionMirror.Occasion) async throws(MirrorFailure)
}

/// Why the mirror did not confirm that it has the bundle.
package enum MirrorFailure: Error, Sendable, Hashable {
    /// The mirror command could not be started. The value is the system's message.
    case notStarted(String)
    /// The mirror command failed with this exit status.
    case failed(Int32)
    /// A signal ended the mirror command.
    case signalled(Int32)
    case timedOut
    /// The mirror has a newer session.
    case superseded
    /// The process is about to end, and no token was spent yet.
    case interrupted
}

/// Copies the session of an account to a mirror whenever its tokens change, so that the mirror has the valid tokens.
///
/// The mirror gets the session before a refresh token is spent. If that fails, nothing is spent. It gets the session again
/// once the new tokens are durable, under the same lock, so that the copies of two processes arrive in the order of their
/// rotations.
///
/// The vault notes each time which session the mirror has, before the refresh token is spent for the first time. A
/// mirror that did not get the new session is therefore known to be behind, and the next command that uses the mirror
/// updates it first, whether or not it refreshes anything (``SessionEnvironment/catchUpMirror(for:under:)``).
package struct SessionMirror: Sendable {
    package enum Moment: String, Sendable {
        /// Before the refresh token is spent.
        case before
        /// When the new tokens are durable here.
        case after
    }

    /// The values that the mirror gets in addition to the bundle. They are not secret.
    package struct Occasion: Sendable {
        package let account: Account
        /// The generation of the session in the bundle. A later session has a higher generation.
        package let generation: UInt64
        package let moment: Moment
    }

    private let sealer: BundleSealer
    private let destination: any MirrorDestination

    /// - Parameter key: the key file or passphrase that bundles are sealed for.
    package init(sealingFor key: KeySource, to store: any MirrorDestination) {
        sealer = BundleSealer(for: key)
        destination = store
    }

    func store(
        _ account: Account, _ moment: Moment, from accounts: VaultAccounts,
        under lock: borrowing AccountLock
    ) async throws {
        let portable = try accounts.portable(account.id, under: lock)
        let bundle = try await sealer.seal(portable)
        do {
            try await destination.store(
                bundle, Occasion(account: account, generation: portable.generation, moment: moment))
        } catch .interrupted {
            throw SessionFailure.cancelled
        } catch let error {
            throw CoreError.mirror(account, moment, error)
        }
        try accounts.vault.noteMirror(of: portable.generation, of: account.id, under: lock)
    }
}
