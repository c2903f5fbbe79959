internal import Glibc

/// A failed system call: its name, its file and its errno.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error number.
    package let errno: Int32
    /// The system call.
    package let operation: String
    /// The file of the call; empty if it has none.
    package let path: String

    package init(errno: Int32, operation: String, path: String = "") {
        self.errno = errno
        self.operation = operation
        self.path = path
    }

    /// The system's description of the errno, or a clearer one.
    package var reason: String {
        if isSecondReading { return "it can only be read once" }
        return errno == EBADF ? "it is closed" : unsafe String(cString: strerror(errno))
    }

    /// Whether a second reader wanted a descriptor that can only be read once.
    package var isSecondReading: Bool { errno == EALREADY && operation == "read" }

    static func secondReading(_ path: String) -> SystemError {
        SystemError(errno: EALREADY, operation: "read", path: path)
    }

    /// Whether the reader of a pipe has closed its end.
    package var isBrokenPipe: Bool { errno == EPIPE }

    /// Whether the file, or a directory on the way to it, does not exist.
    package var isMissing: Bool { errno == ENOENT }

    /// Whether this user has no permission.
    package var isDenied: Bool { errno == EACCES || errno == EPERM }

    /// Whether the disk or the quota of this user is full.
    package var isDiskFull: Bool { errno == ENOSPC || errno == EDQUOT }

    /// Whether the file system is read-only.
    package var isReadOnly: Bool { errno == EROFS }

    /// Whether the file exists already, but must not.
    package var isExisting: Bool { errno == EEXIST }

    /// Whether the file system has no locks, as many network file systems.
    package var saysNoLocks: Bool {
        operation == AdvisoryLock.call && [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(errno)
    }

    /// One line for logs and messages.
    package var description: String {
        path.isEmpty ? "\(operation): \(reason)" : "\(operation) \(path): \(reason)"
    }
}

extension SystemError {
    /// The same failure with the path of another file.
    func about(_ path: String) -> SystemError {
        SystemError(errno: errno, operation: operation, path: path)
    }

    /// The error of the last call, from errno.
    static func last(_ operation: String, _ path: String) -> SystemError {
        SystemError(errno: Glibc.errno, operation: operation, path: path)
    }

    /// Repeats a call while signals interrupt it.
    ///
    /// - Returns: the result of the call, which is not negative.
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
