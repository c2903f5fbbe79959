internal import CATPPlatform
internal import Glibc

/// Operations on names in directories.
package enum FileSystem {
    /// The status of a file. It does not follow a symbolic link.
    static func status(_ path: String) throws(SystemError) -> stat {
        var status = stat()
        try SystemError.retrying("lstat", path) { unsafe lstat(path, &status) }
        return status
    }

    /// Whether the name exists. A dangling symbolic link counts.
    package static func exists(_ path: String) throws(SystemError) -> Bool {
        do {
            _ = try status(path)
            return true
        } catch {
            guard error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
            return false
        }
    }

    /// What keeps this user from creating files in a directory. If the directory is missing, its nearest existing parent
    /// is checked, because the directory would be created there.
    ///
    /// - Returns: nil if files can be created.
    package static func obstacle(toWritingIn path: String) -> SystemError? {
        var path = path
        while unsafe access(path, W_OK | X_OK) != 0 {
            let error = SystemError.last("access", path)
            let parent = directory(of: path)
            guard error.isMissing, parent != path else { return error }
            path = parent
        }
        return nil
    }

    /// The names in a directory, in no order, without `.` and `..`.
    ///
    /// - Parameter onlyHidden: whether to return only names that begin with a dot, which is fast in large directories.
    package static func names(
        in path: String, onlyHidden: Bool = false
    ) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(path) else { throw .last("opendir", path) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        var error: Int32 = 0
        while let entry = unsafe bskyauth_next_entry(directory, &error) {
            // Read by a pointer: the system's entry may be shorter than the tuple that Swift imports.
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
            if onlyHidden, unsafe start.load(as: UInt8.self) != UInt8(ascii: ".") { continue }
            let name = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        guard error == 0 else { throw SystemError(errno: error, operation: "readdir", path: path) }
        return names
    }

    /// Renames within one file system and replaces what had the new name. Durable after ``syncDirectory(_:)``.
    package static func rename(_ path: String, to other: String) throws(SystemError) {
        try SystemError.retrying("rename", path) { unsafe Self.rename(path, other) }
    }

    /// The path without symbolic links; nil if it leads to nothing.
    package static func destination(of path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// Where a symbolic link leads to, from its text.
    static func linkTarget(_ path: String) throws(SystemError) -> String {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try SystemError.retrying("readlink", path) { unsafe readlink(path, &text, text.count) }
        guard count < text.count else {
            throw SystemError(errno: ENAMETOOLONG, operation: "readlink", path: path)
        }
        let target = String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.hasPrefix("/") ? target : directory(of: path) + "/" + target
    }

    /// Removes a file's name.
    ///
    /// - Returns: whether the name existed.
    @discardableResult
    package static func remove(_ path: String) throws(SystemError) -> Bool {
        do {
            try SystemError.retrying("unlink", path) { unsafe unlink(path) }
            return true
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// Removes a directory with everything in it, or a file. It follows no symbolic link.
    package static func removeTree(_ path: String) throws(SystemError) {
        guard try status(path).st_mode & S_IFMT == S_IFDIR else {
            try remove(path)
            return
        }
        for name in try names(in: path) { try removeTree(path + "/" + name) }
        try SystemError.retrying("rmdir", path) { unsafe rmdir(path) }
    }

    /// Makes the names in a directory survive a power loss.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        // OpenFile would refuse a symbolic link, which the parent of a private directory may be.
        let descriptor = try SystemError.retrying("open", path) {
            unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        defer { close(descriptor) }
        try SystemError.retrying("fsync", path) { fsync(descriptor) }
    }

    /// The parent directory of a path, taken from its text.
    package static func directory(of path: String) -> String {
        let trimmed = trimmed(path)
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        let parent = trimmed[..<slash]
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The last part of a path, taken from its text.
    package static func name(of path: String) -> String {
        let trimmed = trimmed(path)
        guard let slash = trimmed.lastIndex(of: "/") else { return String(trimmed) }
        return String(trimmed[trimmed.index(after: slash)...])
    }

    /// A path without "/" and "/." at its end. With them, the kernel would follow a symbolic link that the path names.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        var path = trimmed(path)
        while path.hasSuffix("/.") { path = trimmed(String(path.dropLast())) }
        return String(path)
    }

    private static func trimmed(_ path: String) -> Substring {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path
    }

    private static func rename(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> Int32 {
        unsafe Glibc.rename(path, other)
    }
}
