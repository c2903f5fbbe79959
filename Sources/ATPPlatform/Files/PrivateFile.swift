internal import CATPPlatform
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

    /// Reads a whole file after checking that it belongs to this user and is closed to others, or is a credential of systemd.
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
            if !isCredential(file, status) { try verifyOwner(status, openness) }
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

    /// Checks that a path is a regular file, not a symbolic link, belongs to this user, and is closed to others.
    package static func verify(_ path: String) throws(FileAccessError) {
        let status: stat
        do { status = try FileSystem.status(path) } catch { throw FileAccessError(error) }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw .symlink }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        try verifyOwner(status)
    }

    /// Whether root owns the file, and its access control list lets this user read it and no other user.
    ///
    /// systemd makes such a file for `LoadCredential=` in a unit with `User=`. The group's bits of its mode are the mask of
    /// the list.
    private static func isCredential(_ file: borrowing OpenFile, _ status: stat) -> Bool {
        guard status.st_uid == 0, status.st_mode & 0o7777 == 0o440 else { return false }
        // Version 2 of linux/posix_acl_xattr.h, then permissions, tag and ID of each entry, in the order of the kernel.
        let expected: [UInt32] = [
            2,
            0x0004_0001, .max,  // the owner may read
            0x0004_0002, geteuid(),  // this user may read
            0x0000_0004, .max,  // the group may do nothing
            0x0004_0010, .max,  // the mask
            0x0000_0020, .max,  // others may do nothing
        ]
        var list = [UInt32](repeating: 0, count: expected.count)
        let size = list.count * MemoryLayout<UInt32>.size
        guard unsafe bskyauth_file_acl(file.descriptor, &list, size) == size else { return false }
        return list.map(UInt32.init(littleEndian:)) == expected
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
