package import Cryptography
package import FoundationEssentials
package import Platform

/// Why the vault did not do what it was asked. Nothing in it is secret.
package enum VaultError: Error, Sendable, Hashable {
    /// There is no vault in this directory.
    case noVault(home: String)
    /// There is one already.
    case exists(home: String)
    /// Something else than a directory has this name, or one before it.
    case noDirectory(home: String)
    /// There are accounts, but the header that holds their key is gone.
    case headerMissing(home: String)
    /// Nothing that opens the vault was given.
    case locked
    /// The vault is whole, but the passphrase is another.
    case wrongPassphrase
    /// The vault is whole, but the key file is another's.
    case wrongKeyFile(path: String)
    /// The key file does not exist.
    case keyFileMissing(path: String)
    /// The key file is not what this program makes as one.
    case keyFileUnusable(path: String)
    /// A key file was to be made, and the system refused.
    case keyFileUnwritable(SystemError)
    /// The vault cannot be opened by this kind of key.
    case noSuchSlot
    /// No key of the vault that this could be done to has this name.
    case noSuchKey(String, known: [String])
    /// A key of the vault has this name.
    case keyNameTaken(String)
    /// The key file opens the vault already, under this name.
    case keyFileAdded(path: String, name: String)
    /// Without this key nothing would open the vault.
    case lastKey(String)
    /// The vault has as many keys as it can.
    case tooManyKeys(limit: Int)
    /// A file is not what was written.
    case damaged(file: String, reason: String)
    /// A file was written by a later version of this program.
    case newerFormat(file: String, found: Int)
    /// Others could read or write this.
    case unsafePermissions(path: String, mode: UInt32)
    /// This belongs to another user.
    case foreignOwner(path: String)
    /// This is a symbolic link.
    case symlink(path: String)
    /// The directory was moved away while new tokens were written to it, and another one is at its path.
    /// `nowAt` is where it is now, where that can be told.
    case replaced(path: String, nowAt: String?)
    /// Another process has changed the vault key since this one opened the vault.
    case keyChanged
    /// Another process holds the lock, or the lock given is not the one of this account.
    case busy(holder: Int32?)
    /// There is no account of this UUID.
    case noSuchAccount(UUID)
    /// The kernel keeps no keys for this process, as in many containers, or no more of them.
    case keyringUnavailable(SystemError)
    /// The system refused.
    case io(SystemError)
    /// OpenSSL refused, or the system gave no random bytes.
    case cryptography(CryptographyError)
    /// The task was cancelled while it waited for a lock.
    case cancelled
}

extension VaultError {
    /// Why a header that is whole can't be trusted.
    package static let inauthenticHeader = "was changed by somebody without its key"
    /// Why its second copy is left alone.
    package static let otherKeyInCopy = "has another vault key than vault.json"

    /// What keeps a file or directory of the vault from being used.
    init(_ error: FileAccessError, at path: String) {
        switch error {
        case .missing: self = .damaged(file: path, reason: "is missing")
        case .symlink: self = .symlink(path: path)
        case .notRegular: self = .damaged(file: path, reason: "is not a regular file")
        case .notDirectory: self = .damaged(file: path, reason: "is not a directory")
        case .foreignOwner: self = .foreignOwner(path: path)
        case .unsafeMode(let mode): self = .unsafePermissions(path: path, mode: mode)
        case .tooLarge: self = .damaged(file: path, reason: "is larger than such a file can be")
        case .system(let error): self = .io(error)
        }
    }

    /// Why the lock of a file was not taken.
    init(_ error: LockError, at path: String) {
        switch error {
        case .busy(let holder): self = .busy(holder: holder)
        case .cancelled: self = .cancelled
        case .access(let error): self = VaultError(error, at: path)
        }
    }
}
