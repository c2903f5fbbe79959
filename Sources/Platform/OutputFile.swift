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

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try FileDescriptor.writeAll(bytes, to: descriptor, path: path)
    }
}
