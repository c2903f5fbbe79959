/// Why a bundle can't be made or opened. Nothing in it is secret.
package enum BundleError: Error, Sendable, Hashable {
    /// The bundle is undamaged, but the passphrase is wrong.
    case wrongPassphrase
    /// The bundle is undamaged, but it was sealed for another key file.
    case wrongKeyFile(path: String)
    /// The key file does not exist.
    case keyFileMissing(path: String)
    /// It was sealed for a passphrase, and a key file was given.
    case takesPassphrase
    /// It was sealed for a key file, and a passphrase was given.
    case takesKeyFile
    /// The bundle is damaged.
    case damaged(reason: String)
    /// It was written by a later version of this program.
    case newerFormat(found: Int)
    /// There is a file with this name already.
    case exists(path: String)
    /// An error of the key file, the disk or the cryptography.
    case vault(VaultError)
}
