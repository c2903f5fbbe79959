internal import CATPPlatform
internal import Glibc

/// A file with a secret that the user names, such as a key. This user alone has it, or the system has mounted it for this
/// user, as Kubernetes, Docker and Compose do.
package enum SecretFile {
    /// Why such a file is not taken.
    package enum Problem: Error, Sendable, Hashable {
        case access(FileAccessError)
        /// The path names a descriptor, whose way can't be judged.
        case descriptor
        /// The folder or the link at this path, which leads to the file, belongs to another user.
        case openWay(String)
        /// Others can write in the folder at this path, which leads to the file. A sticky bit is not enough.
        case openFolder(String)
        /// Others can write the file, so they may have written what it has.
        case writableFile
        /// Others can read the file, and it is not one that the system has mounted. Changing its mode is not possible or not enough.
        case openFile
    }

    /// Reads a whole file after judging it.
    ///
    /// - Parameter limit: the most bytes such a file can have.
    package static func read(_ path: String, limit: Int) throws(Problem) -> [UInt8] {
        guard !InputFile.isDescriptor(path) else { throw .descriptor }
        do { return try PrivateFile.read(path, limit: limit) } catch {
            switch error {
            case .symlink, .foreignOwner: return try mounted(path, limit)
            case .unsafeMode:
                do { return try mounted(path, limit) } catch let problem {
                    // The file of this user: its mode can be changed, unless it is on a read-only mount.
                    throw canBeChanged(path) ? .access(error) : problem
                }
            default: throw .access(error)
            }
        }
    }

    /// Whether the system has mounted the file for this user, so that its mode does not say who can read it.
    static func isMounted(_ path: String) -> Bool {
        do {
            _ = try opened(path)
            return true
        } catch { return false }
    }

    private static func mounted(_ path: String, _ limit: Int) throws(Problem) -> [UInt8] {
        let file = try opened(path)
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try file.read(limit: limit, expecting: Int(try file.status().st_size))
        } catch { throw .access(FileAccessError(error)) }
        guard let bytes else { throw .access(.tooLarge) }
        return bytes
    }

    /// Opens a file on a way that others can't change, and judges it.
    private static func opened(_ path: String) throws(Problem) -> OpenFile {
        let file = try walk(path)
        let status = try system { () throws(SystemError) in try file.status() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .access(.notRegular) }
        guard isTrusted(status) else { throw .access(.foreignOwner(status.st_uid)) }
        guard status.st_mode & 0o022 == 0 else { throw .writableFile }
        guard status.st_mode & 0o044 != 0 else { return file }
        let mount = bskyauth_mount_traits(file.descriptor)
        let isSecretVolume = mount & bskyauth_mount_read_only != 0 && mount & bskyauth_mount_in_memory != 0
        guard mount > 0, isSecretVolume || mount & bskyauth_mount_root != 0 else { throw .openFile }
        return file
    }

    /// As many symbolic links as Linux follows.
    private static let mostLinks = 40

    /// Opens a file component by component, so that no folder and no link on the way is one that others can replace.
    private static func walk(_ path: String) throws(Problem) -> OpenFile {
        let whole =
            path.hasPrefix("/")
            ? path : try system { () throws(SystemError) in try WorkingDirectory.path() + "/" + path }
        var directory = try step(AT_FDCWD, "/", "/")
        var place = ""
        try requireSafe(directory, "/")
        var left = components(whole)
        var links = 0
        while let name = left.popLast() {
            let entry = try step(directory.descriptor, name, place + "/" + name)
            let status = try system { () throws(SystemError) in try entry.status() }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                guard isTrusted(status) else { throw .openWay(entry.path) }
                links += 1
                let target = try system { () throws(SystemError) in try entry.linkTarget() }
                guard links <= mostLinks else { throw .access(.symlink) }
                if target.hasPrefix("/") {
                    directory = try step(AT_FDCWD, "/", "/")
                    place = ""
                }
                left += components(target)
            case S_IFDIR:
                try requireSafe(entry, entry.path)
                place = entry.path
                directory = entry
            default:
                guard left.isEmpty else { throw .access(.notDirectory) }
                // The file that is judged is the one that this opens.
                let descriptor = directory.descriptor
                return try system { () throws(SystemError) in
                    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
                    return OpenFile(
                        descriptor: try SystemError.retrying("open", whole) {
                            unsafe openat(descriptor, name, flags)
                        }, path: whole)
                }
            }
        }
        throw .access(.notRegular)
    }

    /// The components of a path, the last one first.
    private static func components(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func step(_ directory: Int32, _ name: String, _ path: String) throws(Problem) -> OpenFile {
        try system { () throws(SystemError) in
            OpenFile(
                descriptor: try SystemError.retrying("open", path) {
                    unsafe bskyauth_open_step(directory, name)
                }, path: path)
        }
    }

    /// Checks that only root and this user can replace what is in a folder. Kubernetes makes folders that all may write, and
    /// mounts them read-only.
    private static func requireSafe(_ folder: borrowing OpenFile, _ path: String) throws(Problem) {
        let descriptor = folder.descriptor
        let status: stat
        do { status = try folder.status() } catch { throw .access(.system(error)) }
        let mount = bskyauth_mount_traits(descriptor)
        let isReadOnly = mount > 0 && mount & bskyauth_mount_read_only != 0
        guard isTrusted(status) else { throw .openWay(path) }
        guard status.st_mode & 0o022 == 0 || isReadOnly else { throw .openFolder(path) }
    }

    private static func isTrusted(_ status: stat) -> Bool { status.st_uid == 0 || status.st_uid == geteuid() }

    /// Whether the owner of a file can change its mode: its mount is not read-only.
    private static func canBeChanged(_ path: String) -> Bool {
        unsafe access(path, W_OK) == 0 || errno == EACCES
    }

    private static func system<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(Problem) -> Value {
        do { return try body() } catch { throw .access(FileAccessError(error)) }
    }
}

extension OpenFile {
    /// The text of a symbolic link that was opened itself.
    fileprivate func linkTarget() throws(SystemError) -> String {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try SystemError.retrying("readlink", path) {
            unsafe readlinkat(descriptor, "", &text, text.count)
        }
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
