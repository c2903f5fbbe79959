#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A system call that failed: which, on what, and with which errno.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno.
    package let errno: Int32
    /// The system call.
    package let operation: String
    /// The file it was about; empty where it was about none.
    package let path: String

    /// The error of an errno that is known.
    package init(errno: Int32, operation: String, path: String = "") {
        self.errno = errno
        self.operation = operation
        self.path = path
    }

    /// The system's words for the errno.
    package var reason: String { unsafe String(cString: strerror(errno)) }

    /// Whether nobody reads the other end any more.
    package var isBrokenPipe: Bool { errno == EPIPE }

    /// Whether the file, or a directory on the way to it, does not exist.
    package var isMissing: Bool { errno == ENOENT }

    /// Whether the file is out of reach for this user.
    package var isDenied: Bool { errno == EACCES || errno == EPERM }

    /// Whether there is no room left, or none for this user.
    package var isDiskFull: Bool { errno == ENOSPC || errno == EDQUOT }

    /// Whether nothing can be written there.
    package var isReadOnly: Bool { errno == EROFS }

    /// Whether there is a file already where there must be none.
    package var isExisting: Bool { errno == EEXIST }

    /// One line for logs and messages.
    package var description: String {
        path.isEmpty ? "\(operation): \(reason)" : "\(operation) \(path): \(reason)"
    }
}

extension SystemError {
    /// The same failure, as one of what is done to another file.
    func about(_ path: String) -> SystemError {
        SystemError(errno: errno, operation: operation, path: path)
    }

    /// The error of the call that has just failed.
    static func last(_ operation: String, _ path: String) -> SystemError {
        #if canImport(Darwin)
            let errno = Darwin.errno
        #else
            let errno = Glibc.errno
        #endif
        return SystemError(errno: errno, operation: operation, path: path)
    }

    /// Performs a call again for as long as signals interrupt it.
    ///
    /// - Returns: what the call answered, which is not negative.
    @discardableResult
    static func retrying<Count: SignedInteger>(
        _ operation: String, _ path: String, _ call: () -> Count
    ) throws(SystemError) -> Count {
        while true {
            let answer = call()
            if answer >= 0 { return answer }
            let error = SystemError.last(operation, path)
            guard error.errno == EINTR else { throw error }
        }
    }
}
