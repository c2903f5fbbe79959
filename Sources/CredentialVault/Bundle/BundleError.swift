/// Why a bundle was not made or does not open. Nothing in it is secret.
package enum BundleError: Error, Sendable, Hashable {
    /// The bundle is whole, but the passphrase is another.
    case wrongPassphrase
    /// The bundle is whole, but sealed for another key than this file's.
    case wrongKeyFile(path: String)
    /// The key file that is to open it does not exist.
    case keyFileMissing(path: String)
    /// It was sealed for a passphrase, and a key file was given.
    case takesPassphrase
    /// It was sealed for a key file, and a passphrase was given.
    case takesKeyFile
    /// It is not what was sealed.
    case damaged(reason: String)
    /// It was written by a later version of this program.
    case newerFormat(found: Int)
    /// There is a file of this name already.
    case exists(path: String)
    /// What is wrong with the key file, the disk or the cryptography.
    case vault(VaultError)
}
