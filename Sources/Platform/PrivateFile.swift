#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that only its owner may read.
package enum PrivateFile {
    /// Reads a whole file, after making sure that nobody else could have read or written it.
    ///
    /// - Parameter limit: the most bytes such a file can have.
    package static func read(_ path: String, limit: Int) throws(FileAccessError) -> [UInt8] {
        do {
            // O_NONBLOCK: opening a pipe must not wait for its writer.
            let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
            try verify(try file.status())
            guard let bytes = try file.read(limit: limit) else { throw FileAccessError.tooLarge }
            return bytes
        } catch let error as SystemError {
            throw FileAccessError(error)
        } catch let error as FileAccessError {
            throw error
        } catch {
            throw .system(SystemError(errno: EIO, operation: "read", path: path))
        }
    }

    private static func verify(_ status: stat) throws(FileAccessError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        try verifyOwner(status)
    }

    /// Own user, and nothing for group and others.
    static func verifyOwner(_ status: stat) throws(FileAccessError) {
        guard status.st_uid == geteuid() else { throw .foreignOwner(status.st_uid) }
        let mode = UInt32(status.st_mode) & 0o7777
        guard mode & 0o077 == 0 else { throw .unsafeMode(mode) }
    }
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
