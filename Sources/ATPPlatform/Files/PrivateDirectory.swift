internal import Glibc

/// A directory that only its owner may enter.
package enum PrivateDirectory {
    /// Creates a directory with its missing parents, all with mode 0700 whatever the umask is. Then verifies it. An
    /// existing directory is only verified.
    package static func create(_ path: String) throws(FileAccessError) {
        do {
            try makeDirectories(path)
        } catch {
            throw FileAccessError(error)
        }
        try verify(path)
    }

    /// Where a path leads if it is a symbolic link to something; otherwise the path. The user may name a private directory by a
    /// link. It is resolved once, so that the directory stays the same for the whole command.
    package static func linked(_ path: String) -> String {
        let plain = FileSystem.withoutTrailingSlashes(path)
        guard (try? FileSystem.linkTarget(plain)) != nil else { return path }
        return FileSystem.destination(of: plain) ?? path
    }

    /// Checks that a path is a directory, not a symbolic link, belongs to this user, and is closed to others.
    package static func verify(_ path: String) throws(FileAccessError) {
        let status: stat
        do { status = try FileSystem.status(FileSystem.withoutTrailingSlashes(path)) } catch {
            throw FileAccessError(error)
        }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw .symlink }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory }
        try PrivateFile.verifyOwner(status)
    }

    private static func makeDirectories(_ path: String) throws(SystemError) {
        do {
            try make(path)
        } catch {
            switch error.errno {
            case EEXIST: return
            case ENOENT:
                let parent = FileSystem.directory(of: path)
                guard parent != path else { throw error }
                try makeDirectories(parent)
                do { try make(path) } catch { if error.errno != EEXIST { throw error } }
            default: throw error
            }
        }
    }

    private static func make(_ path: String) throws(SystemError) {
        try SystemError.retrying("mkdir", path) { unsafe mkdir(path, 0o700) }
        try SystemError.retrying("chmod", path) { unsafe chmod(path, 0o700) }
        try FileSystem.syncDirectory(FileSystem.directory(of: path))
    }
}
