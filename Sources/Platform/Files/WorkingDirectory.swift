internal import Glibc

/// Where the process was started.
package enum WorkingDirectory {
    /// The directory itself, as an absolute path without symbolic links.
    package static func path() throws(SystemError) -> String {
        guard let path = unsafe getcwd(nil, 0) else { throw .last("getcwd", ".") }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// The directory and those it is in, innermost first, up to one of them or to the root.
    ///
    /// - Parameter top: where to stop, under whatever path; that one is the last.
    package static func ancestors(upTo top: String?) throws(SystemError) -> [String] {
        let end = try top.flatMap { path throws(SystemError) in try identity(path) }
        var directories = [try path()]
        while let last = directories.last, last != "/" {
            if let end, try identity(last) == end { break }
            directories.append(FileSystem.directory(of: last))
        }
        return directories
    }

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t
    }

    /// What a path leads to; nil where there is nothing.
    private static func identity(_ path: String) throws(SystemError) -> Identity? {
        var status = stat()
        do {
            try SystemError.retrying("stat", path) { unsafe stat(path, &status) }
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        return Identity(device: status.st_dev, inode: status.st_ino)
    }
}
