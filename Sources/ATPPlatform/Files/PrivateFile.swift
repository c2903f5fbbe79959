internal import Glibc

/// A file that only its owner may read.
package enum PrivateFile {
    /// What others may do with a file.
    package enum Openness: UInt32, Sendable {
        /// Nothing, because the file may hold a secret.
        case closed = 0o077
        /// Read it. They must not write it, because its content counts as the owner's decision.
        case readable = 0o022
    }

    /// Reads a whole file after checking that it belongs to this user and is closed to others.
    ///
    /// - Parameters:
    ///   - limit: the most bytes such a file can have.
    ///   - openness: what others may do with it.
    package static func read(
        _ path: String, limit: Int, openness: Openness = .closed
    ) throws(FileAccessError) -> [UInt8] {
        do {
            // O_NONBLOCK, because opening a pipe would wait for its writer.
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

    /// Checks that this user owns the file, and that its mode gives others no more than `openness`.
    static func verifyOwner(
        _ status: stat, _ openness: Openness = .closed
    ) throws(FileAccessError) {
        guard status.st_uid == geteuid() else { throw .foreignOwner(status.st_uid) }
        let mode = UInt32(status.st_mode) & 0o7777
        guard mode & openness.rawValue == 0 else { throw .unsafeMode(mode) }
    }
}

/// A file of this user alone that grows by whole lines.
package final class PrivateLogFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates the file, or opens one that only this user can read.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("open", path) }
        guard fchmod(descriptor, 0o600) == 0 else { throw .last("chmod", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Adds a line at once, so that lines of several threads and processes don't mix.
    package func append(line: String) throws(SystemError) {
        try FileDescriptor.writeAll(Array((line + "\n").utf8), to: descriptor, path: path)
    }
}
