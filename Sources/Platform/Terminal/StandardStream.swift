internal import Glibc

/// Standard output and standard error. They are not buffered, so nothing is lost when the process ends.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Whether the stream is a terminal.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The size of the terminal; nil if the stream is not a terminal.
    package var size: TerminalSize? { TerminalSize(of: rawValue) }

    /// Whether standard input is a terminal.
    package static var inputIsTerminal: Bool { isatty(0) == 1 }

    /// Writes all bytes.
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
                    // Another program made the terminal or pipe non-blocking. Wait until it takes more.
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
