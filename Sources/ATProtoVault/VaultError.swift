package import ATPCryptography
package import ATPPlatform
package import ATProtoSessions
package import BskyAuthRows
package import FoundationEssentials

/// Why an operation on a vault failed. The error holds no secrets.
package enum VaultError: Error, Sendable, Hashable {
    /// The directory contains no vault.
    case noVault(home: String)
    /// The directory contains a vault already.
    case exists(home: String)
    /// A part of this path is not a directory.
    case noDirectory(home: String)
    /// The directory has accounts, but the header with their key is missing.
    case headerMissing(home: String)
    /// No passphrase or key file was given.
    case locked
    /// No passphrase or key file was given, and the time of the unlock cache was over at this time.
    case unlockEnded(Date)
    /// The vault is undamaged, but the passphrase is wrong.
    case wrongPassphrase
    /// The vault is undamaged, but this key file does not open it.
    case wrongKeyFile(path: String)
    /// The key file does not exist.
    case keyFileMissing(path: String)
    /// The file is not a key file of this program.
    case keyFileUnusable(path: String)
    /// The system refused to create a key file.
    case keyFileUnwritable(SystemError)
    /// The vault has no key slot of this kind.
    case noSuchSlot
    /// No key slot of a suitable kind has this name.
    case noSuchKey(String, known: [String])
    /// A key slot has this name already.
    case keyNameTaken(String)
    /// The key file opens the vault already, by the key slot of this name.
    case keyFileAdded(path: String, name: String)
    /// This is the last key slot: without it nothing would open the vault.
    case lastKey(String)
    /// The vault has the maximum number of key slots.
    case tooManyKeys(limit: Int)
    /// A file is damaged.
    case damaged(file: String, reason: String)
    /// A record of the account opens, but its content can't be decoded.
    case unreadableRecord(UUID, UnreadableRecord)
    /// A later version of this program wrote the file.
    case newerFormat(file: String, found: Int)
    /// Other users could read the key file or put another one in its place.
    case keyFileOpen(path: String, SecretFile.Problem)
    /// Other users could read or write the file or directory.
    case unsafePermissions(path: String, mode: UInt32)
    /// The file or directory belongs to another user.
    case foreignOwner(path: String)
    /// The path is a symbolic link.
    case symlink(path: String)
    /// The directory was moved away while new tokens were written to it, and another one is at its path.
    /// `nowAt` is its path now, if that is known.
    case replaced(path: String, nowAt: String?)
    /// Another process stored a session of the account while a refresh was running, without the account's lock.
    case overtaken
    /// Another process has changed the vault key since this process opened the vault.
    case keyChanged
    /// Another process holds the lock, or the given lock belongs to another account.
    case busy(holder: Int32?)
    /// The vault has no account with this UUID.
    case noSuchAccount(UUID)
    /// The vault has an account with this DID, label and network.
    case loginTaken(Account)
    /// The new label is another account's handle or DID, or the beginning of its UUID.
    case labelTaken(String, by: UUID)
    /// The kernel refuses to keep keys for this process, as in many containers, or the user's quota of keys is used up.
    case keyringUnavailable(SystemError)
    /// The system refused to change a file of the vault: the file system is read-only, or this user has no permission.
    case unwritable(SystemError)
    /// A system call failed.
    case io(SystemError)
    /// OpenSSL failed, or the system provided no random bytes.
    case cryptography(CryptographyError)
    /// The vault is shared, and this program can't open its store.
    case shared(home: String)
    /// Another process has shared the vault, or ended that, since this process opened the vault.
    case sharingChanged
    /// The vault can't be shared, or a shared vault can't do this.
    case sharingRefused(SharingRefusal)
    /// The URL of a store can't be used. The reason is for people.
    case storeURL(String, String)
    /// The store of a shared vault failed.
    case store(RowStoreError)
    /// The store of a shared vault has an earlier state of an account than this machine has seen.
    case storeWentBack(UUID)
    /// The store of a shared vault went back, and machines still have to offer what they have.
    case repairing(Repair)
    /// Another machine has the right to refresh the account's session.
    case claimed(SharedClaim)
    /// The task was cancelled while it waited for a lock.
    case cancelled
}

extension VaultError {
    /// Whether a file is damaged, so that only a copy of the file helps.
    package var isDamage: Bool {
        switch self {
        case .damaged, .unreadableRecord: true
        default: false
        }
    }

    /// Whether the error is about one file: its content, or who may read it. It says nothing about other accounts.
    package var isOfOneFile: Bool {
        switch self {
        case .newerFormat, .unsafePermissions, .foreignOwner, .symlink, .io: true
        default: isDamage
        }
    }

    /// Whether it is a write to the store of a shared vault that may have been made.
    var mayBeWritten: Bool {
        if case .store(let error) = self { error.outcome == .unknown } else { false }
    }

    /// What a repair after a rollback of the store waits for.
    package struct Repair: Sendable, Hashable {
        /// Whether this machine has to offer what it has.
        package let needsThis: Bool
        /// The names of other machines that have to.
        package let others: [String]

        package init(needsThis: Bool, others: [String]) {
            self.needsThis = needsThis
            self.others = others
        }
    }
}

/// Why a vault can't be shared, or what a shared vault can't do.
package enum SharingRefusal: Sendable, Hashable {
    /// The vault is shared already, with the store of this URL.
    case isShared(store: String)
    /// The vault is not shared.
    case isNotShared
    /// The store has rows under this prefix already.
    case storeInUse
    /// The store has no shared vault.
    case storeHasNoVault
    /// This machine has begun to share the vault, and has not finished.
    case sharing
    /// The store had this vault and has lost it.
    case storeLost
    /// A machine took the vault out of the store again.
    case unshared(by: SharedMachine)
    /// This machine has begun to take the vault out of the store.
    case unsharing
    /// This machine has begun to refresh these accounts, or has answers that are not in the store.
    case unfinished([UUID])
    /// A later version of this program shared the vault.
    case laterProtocol(Int64)
    /// A change of the vault key is unfinished.
    case rekeying
    /// No key file opens the vault. A passphrase could be guessed by whoever can read the store.
    case noKeyFile
    /// The vault key of a shared vault can't be changed.
    case newKey
    /// Another machine that stays has this name. Messages and `vault machines` could not tell the two apart.
    case nameTaken(by: SharedMachine)
    /// A copy of a session of a shared vault could spend its refresh token.
    case export
}

extension VaultError {
    /// The reason for an undamaged header that is not authentic.
    package static let inauthenticHeader = "was changed without the vault key"
    /// The reason why a second copy of the header is not overwritten.
    package static let otherKeyInCopy = "has a different vault key than vault.json"

    /// The error of a file or directory that can't be used.
    init(_ error: FileAccessError, at path: String) {
        switch error {
        case .missing: self = .damaged(file: path, reason: "is missing")
        case .symlink: self = .symlink(path: path)
        case .notRegular: self = .damaged(file: path, reason: "is not a regular file")
        case .notDirectory: self = .damaged(file: path, reason: "is not a directory")
        case .foreignOwner: self = .foreignOwner(path: path)
        case .unsafeMode(let mode): self = .unsafePermissions(path: path, mode: mode)
        case .tooLarge: self = .damaged(file: path, reason: "is too large for this kind of file")
        case .system(let error): self = .io(error)
        }
    }

    /// The error of a file or directory that can't be changed.
    package init(writing error: SystemError) {
        self = error.isDenied || error.isReadOnly ? .unwritable(error) : .io(error)
    }

    /// The error of a lock that was not taken.
    init(_ error: LockError, at path: String) {
        switch error {
        case .busy(let holder): self = .busy(holder: holder)
        case .cancelled: self = .cancelled
        // A lock file is opened for writing.
        case .access(.system(let error)): self = VaultError(writing: error)
        case .access(let error): self = VaultError(error, at: path)
        }
    }
}
