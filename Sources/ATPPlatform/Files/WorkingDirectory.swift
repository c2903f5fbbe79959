internal import Glibc

/// The directory that the process was started in.
package enum WorkingDirectory {
    /// The working directory, as an absolute path without symbolic links.
    package static func path() throws(SystemError) -> String {
        guard let path = unsafe getcwd(nil, 0) else { throw .last("getcwd", ".") }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// The working directory and its parents, innermost first.
    ///
    /// - Parameter top: the last directory to return, compared by device and inode; nil or a directory elsewhere returns
    ///   all up to the root.
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

    /// The device and inode of a path; nil if it does not exist.
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
