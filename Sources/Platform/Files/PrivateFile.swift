#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that only its owner may read.
package enum PrivateFile {
    /// What others may be let to do with a file.
    package enum Openness: UInt32, Sendable {
        /// Nothing: it may hold a secret.
        case closed = 0o077
        /// Read it: what it says is its owner's word.
        case readable = 0o022
    }

    /// Reads a whole file, after making sure that nobody else could have read or written it.
    ///
    /// - Parameters:
    ///   - limit: the most bytes such a file can have.
    ///   - openness: what others may do with it all the same.
    package static func read(
        _ path: String, limit: Int, openness: Openness = .closed
    ) throws(FileAccessError) -> [UInt8] {
        do {
            // O_NONBLOCK: opening a pipe must not wait for its writer.
            let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else { throw FileAccessError.notRegular }
            try verifyOwner(status, openness)
            guard let bytes = try file.read(limit: limit, expecting: Int(status.st_size)) else {
                throw FileAccessError.tooLarge
            }
            return bytes
        } catch let error as SystemError {
            throw FileAccessError(error)
        } catch let error as FileAccessError {
            throw error
        } catch {
            throw .system(SystemError(errno: EIO, operation: "read", path: path))
        }
    }

    /// Own user, and no more for group and others than is said.
    static func verifyOwner(
        _ status: stat, _ openness: Openness = .closed
    ) throws(FileAccessError) {
        guard status.st_uid == geteuid() else { throw .foreignOwner(status.st_uid) }
        let mode = UInt32(status.st_mode) & 0o7777
        guard mode & openness.rawValue == 0 else { throw .unsafeMode(mode) }
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
