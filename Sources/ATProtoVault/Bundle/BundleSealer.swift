package import ATPCryptography
internal import ATPPlatform
internal import FoundationEssentials
internal import Synchronization

/// Seals any number of bundles for the same passphrase or key file.
///
/// Deriving a key from a passphrase is slow, so it is done once. The bundles of one process share its salt, but each
/// has its own key, wrapped under the derived one.
package final class BundleSealer: Sendable {
    private struct Passphrase {
        let method: KeySlot.Method
        let key: SecretBytes
    }

    private let source: KeySource
    private let cost: Scrypt.Parameters
    private let passphrase = Mutex<Passphrase?>(nil)

    /// - Parameter cost: the scrypt cost of a passphrase. A key file has no cost and is read each time.
    package init(for source: KeySource, cost: Scrypt.Parameters = .standard) {
        self.source = source
        self.cost = cost
    }

    /// Seals an account on a separate thread.
    package func seal(_ account: PortableAccount) async throws(BundleError) -> SealedBundle {
        let bundle = await BlockingWork.run { [self] in
            Result { () throws(BundleError) in try SealedBundle(sealing: account, slot: slot) }
        }
        return try bundle.get()
    }

    private func slot(of bundle: UUID, _ keys: VaultKeys) throws(VaultError) -> KeySlot {
        let secret = try source.secret()
        guard case .passphrase = source else {
            return try KeySlot(for: source, secret, cost, of: bundle, keys)
        }
        do {
            let passphrase = try derived(secret, bundle)
            return try KeySlot(passphrase.method, label: nil, key: passphrase.key, vault: bundle, keys)
        } catch {
            throw .cryptography(error)
        }
    }

    /// If another caller is deriving the key, this call waits for that key.
    private func derived(_ secret: SecretBytes, _ bundle: UUID) throws(CryptographyError) -> Passphrase {
        try passphrase.withLock { passphrase throws(CryptographyError) in
            if let passphrase { return passphrase }
            let method = try KeySlot.Method(for: source, secret, cost)
            let found = Passphrase(method: method, key: try KeySlot.key(method, secret, vault: bundle))
            passphrase = found
            return found
        }
    }
}
