internal import CATPPlatform
internal import Glibc

/// An open directory. Its files are reached through its descriptor, so that a writer stays in this directory when
/// another directory takes its path.
package final class OpenDirectory: Sendable {
    /// The path that the directory was opened at.
    package let path: String
    private let descriptor: Int32

    /// Opens a directory, also through a symbolic link, which the parent of a private directory may be.
    package init(_ path: String) throws(SystemError) {
        descriptor = try SystemError.retrying("open", path) {
            unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Opens a file of the directory. It never follows a symbolic link, and child processes never inherit it.
    func openFile(_ name: String, flags: Int32, mode: UInt32 = 0) throws(SystemError) -> OpenFile {
        let file = path + "/" + name
        let opened = try SystemError.retrying("open", file) {
            unsafe openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
        }
        return OpenFile(descriptor: opened, path: file)
    }

    /// Opens a new file of the directory that has no name, so that the kernel removes it if this process ends.
    ///
    /// - Returns: nil if the file system has no such files.
    func openNameless(mode: UInt32) throws(SystemError) -> OpenFile? {
        let opened = bskyauth_open_nameless(descriptor, mode)
        if opened >= 0 { return OpenFile(descriptor: opened, path: path) }
        let error = SystemError.last("open", path)
        guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(error.errno) else { throw error }
        return nil
    }

    /// Gives a file without a name its name. Fails with EEXIST if the name exists.
    func name(_ file: borrowing OpenFile, _ name: String) throws(SystemError) {
        let descriptor = file.descriptor
        try SystemError.retrying("link", path + "/" + name) {
            unsafe bskyauth_give_name(descriptor, self.descriptor, name)
        }
    }

    /// The status of a file in the directory. It does not follow a symbolic link.
    func status(of name: String) throws(SystemError) -> stat {
        var status = stat()
        try SystemError.retrying("fstatat", path + "/" + name) {
            unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
        }
        return status
    }

    /// Renames a file of the directory and replaces the file with the new name. Durable after ``sync()``.
    func rename(_ name: String, to other: String) throws(SystemError) {
        try SystemError.retrying("rename", path + "/" + name) {
            unsafe renameat(descriptor, name, descriptor, other)
        }
    }

    /// Renames a file of the directory. Fails with EEXIST if the new name exists. Durable after ``sync()``.
    func rename(_ name: String, toNew other: String) throws(SystemError) {
        do {
            try SystemError.retrying("rename", path + "/" + other) {
                unsafe bskyauth_rename_new(descriptor, name, other)
            }
        } catch {
            // NFS can't do this.
            guard [EINVAL, ENOSYS].contains(error.errno) else { throw error }
            try move(name, toNew: other)
        }
    }

    /// The same with a link. A FAT in user space has no links. There an empty file takes the name first.
    private func move(_ name: String, toNew other: String) throws(SystemError) {
        do {
            try SystemError.retrying("link", path + "/" + other) {
                unsafe linkat(descriptor, name, descriptor, other, 0)
            }
        } catch {
            guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error.errno) else { throw error }
            _ = try openFile(other, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            do { try rename(name, to: other) } catch {
                // Without this, the next try would find a file.
                _ = try? remove(other)
                throw error
            }
            return
        }
        try remove(name)
    }

    /// Overwrites a file of the directory where it is, durably. A crash can leave a mix of the old bytes and the new ones.
    package func overwrite(_ name: String, with bytes: [UInt8]) throws(SystemError) {
        let file = try openFile(name, flags: O_RDWR)
        try file.overwrite(bytes)
        try file.sync()
    }

    /// Removes a file's name.
    ///
    /// - Returns: whether the name existed.
    @discardableResult
    package func remove(_ name: String) throws(SystemError) -> Bool {
        do {
            try SystemError.retrying("unlink", path + "/" + name) { unsafe unlinkat(descriptor, name, 0) }
            return true
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// Makes the names in the directory survive a power loss.
    package func sync() throws(SystemError) {
        try SystemError.retrying("fsync", path) { fsync(descriptor) }
    }

    /// The path of the directory now, from the kernel; nil if the kernel does not tell or the directory was removed.
    package var presentPath: String? {
        let link = "/proc/self/fd/\(descriptor)"
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &target, target.count)
        guard count > 0, count < target.count else { return nil }
        let found = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var status = stat()
        return unsafe lstat(found, &status) == 0 ? found : nil
    }

    /// Whether the path still leads to this directory, and not to another one in its place.
    package func isAtItsPath() throws(SystemError) -> Bool {
        var own = stat()
        try SystemError.retrying("fstat", path) { unsafe fstat(descriptor, &own) }
        var found = stat()
        do {
            try SystemError.retrying("stat", path) { unsafe stat(path, &found) }
        } catch {
            guard error.isMissing || error.errno == ENOTDIR else { throw error }
            return false
        }
        return own.isSameFile(as: found)
    }
}

extension stat {
    /// Whether both belong to one file: the same device and inode.
    func isSameFile(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino
    }
}
