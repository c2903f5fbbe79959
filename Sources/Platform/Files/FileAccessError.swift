/// Why a private file or directory is not used. The caller knows its path.
package enum FileAccessError: Error, Sendable, Hashable {
    /// It does not exist.
    case missing
    /// It is a symbolic link, which could point to what somebody else chose.
    case symlink
    /// It is no regular file: a directory, a pipe, a device.
    case notRegular
    /// It is no directory.
    case notDirectory
    /// It belongs to another user.
    case foreignOwner(UInt32)
    /// Its group or others may read, write or enter it.
    case unsafeMode(UInt32)
    /// It is longer than such a file can be.
    case tooLarge
    /// The system refused.
    case system(SystemError)
}
