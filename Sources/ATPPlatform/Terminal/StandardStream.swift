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
