internal import Glibc

/// A system call that failed: which one, on what, and why.
package struct SystemError: Error, Sendable, Hashable {
    package let errno: Int32
    package let operation: String
    package let path: String

    package init(errno: Int32, operation: String, path: String) {
        self.errno = errno
        self.operation = operation
        self.path = path
    }

    /// The system's words.
    package var reason: String { unsafe String(cString: strerror(errno)) }
    package var isBrokenPipe: Bool { errno == EPIPE }
    package var isMissing: Bool { errno == ENOENT }
}
