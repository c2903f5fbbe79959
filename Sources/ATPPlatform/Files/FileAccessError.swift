internal import Glibc

/// Why a private file or directory can't be used. The caller knows its path.
package enum FileAccessError: Error, Sendable, Hashable {
    /// It does not exist.
    case missing
    /// It is a symbolic link, which could point to a file that another user chose.
    case symlink
    /// It is not a regular file but a directory, a pipe or a device.
    case notRegular
    /// It is not a directory.
    case notDirectory
    /// It belongs to another user.
    case foreignOwner(UInt32)
    /// Its mode lets the group or others read, write or enter it.
    case unsafeMode(UInt32)
    /// It has more bytes than such a file can have.
    case tooLarge
    /// The system call failed.
    case system(SystemError)
}

extension FileAccessError {
    init(_ error: SystemError) {
        switch error.errno {
        case ENOENT: self = .missing
        case ELOOP: self = .symlink
        case ENOTDIR: self = .notDirectory
        default: self = .system(error)
        }
    }
}
