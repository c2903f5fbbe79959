internal import Glibc

/// Standard output and standard error, written without buffers so that nothing is lost at the end.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Whether a person may be looking.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The size of the terminal that it is; nil where it is none.
    package var size: TerminalSize? { TerminalSize(of: rawValue) }

    /// Whether standard input is somebody typing.
    package static var inputIsTerminal: Bool { isatty(0) == 1 }

    /// Writes everything.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try FileDescriptor.writeAll(bytes, to: rawValue, path: self == .output ? "stdout" : "stderr")
    }
}

enum FileDescriptor {
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    // A terminal or pipe that somebody made non-blocking: wait until it takes more.
                    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe Glibc.poll(&poll, 1, -1)
                    continue
                }
                throw SystemError(errno: errno, operation: "write", path: path)
            }
            written += count
        }
    }
}
