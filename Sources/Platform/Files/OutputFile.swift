internal import Glibc

/// A file that the user names for writing.
package final class OutputFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates the file, or empties it.
    package init(_ path: String) throws(SystemError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        self.path = path
        guard descriptor >= 0 else { throw SystemError(errno: errno, operation: "open", path: path) }
    }

    /// Finds out whether the file could be made or emptied, and does neither.
    package static func check(_ path: String) throws(SystemError) {
        if unsafe access(path, W_OK) == 0 {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
            throw SystemError(errno: EISDIR, operation: "open", path: path)
        }
        guard errno == ENOENT else { throw SystemError(errno: errno, operation: "open", path: path) }
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard unsafe access(directory, W_OK | X_OK) == 0 else {
            throw SystemError(errno: errno, operation: "open", path: path)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try FileDescriptor.writeAll(bytes, to: descriptor, path: path)
    }
}
