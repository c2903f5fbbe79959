internal import CATPPlatform
internal import Glibc

/// The controlling terminal, which may differ from standard input and output.
package final class Terminal: Sendable {
    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Opens the controlling terminal; nil if there is none.
    package static func open() -> Terminal? {
        let descriptor = unsafe Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        return descriptor >= 0 ? Terminal(descriptor: descriptor) : nil
    }

    /// Whether the terminal's input goes to this process. A process in the background that reads it is stopped.
    package var isForThisJob: Bool { tcgetpgrp(descriptor) == getpgrp() }

    /// Asks a question and reads a line.
    ///
    /// - Parameter echoes: whether the terminal shows what is typed.
    /// - Returns: nil at the end of input.
    package func ask(_ question: String, echoes: Bool = true) throws(SystemError) -> String? {
        guard !echoes else {
            try write(question)
            guard case .decided(let bytes) = try line() else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        return try askSilently(question).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Asks a question and reads a line that the terminal does not show. The caller can overwrite the bytes.
    ///
    /// The terminal is restored before an interrupt is obeyed. After a stop, the question is asked again.
    ///
    /// - Returns: nil at the end of input.
    package func askSilently(_ question: String) throws(SystemError) -> [UInt8]? {
        while true {
            switch try silentTurn(question) {
            case .decided(let answer): return answer
            case .ended: return nil
            case .interrupted:
                // Another hold keeps the signal. It would interrupt every turn.
                if bskyauth_signals_pending() != 0 { return nil }
            }
        }
    }

    private func silentTurn(_ question: String) throws(SystemError) -> Turn<[UInt8]> {
        var earlier = termios()
        guard unsafe tcgetattr(descriptor, &earlier) == 0 else {
            throw SystemError(errno: errno, operation: "tcgetattr", path: "/dev/tty")
        }
        SignalHold.begin(.all)
        defer { SignalHold.end(.all) }
        var silent = earlier
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
            throw SystemError(errno: errno, operation: "tcsetattr", path: "/dev/tty")
        }
        defer { _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &earlier) }
        // The question comes only now, so that an answer is never shown.
        try write(question)
        let answer = try line(untilSignal: true)
        try write("\n")
        return answer
    }

    package func write(_ text: String) throws(SystemError) {
        try FileDescriptor.writeAll(Array(text.utf8), to: descriptor, path: "/dev/tty")
    }

    /// - Parameter untilSignal: whether a held signal interrupts the reading.
    private func line(untilSignal: Bool = false) throws(SystemError) -> Turn<[UInt8]> {
        var bytes: [UInt8] = []
        // An array that grows leaves copies of its bytes in freed memory, and these may be a passphrase.
        bytes.reserveCapacity(Self.longestLine + 1)
        var byte: UInt8 = 0
        while true {
            // A signal may arrive on another thread, and then reading would not notice it.
            if untilSignal, bskyauth_wait_for_input(descriptor) == 0 { return .interrupted }
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError(errno: errno, operation: "read", path: "/dev/tty")
            }
            if count == 0 { return bytes.isEmpty ? .ended : .decided(bytes) }
            if byte == 0x0a { return .decided(bytes) }
            bytes.append(byte)
            if bytes.count > Self.longestLine { return .decided(bytes) }
        }
    }

    /// In bytes.
    private static let longestLine = 16384
}

/// How a question to the user ended.
enum Turn<Outcome> {
    case decided(Outcome)
    /// The input has ended.
    case ended
    /// A signal came. It is obeyed when the terminal is restored.
    case interrupted
}

/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// nil if the file is not a terminal, or the terminal does not tell its size.
    init?(of descriptor: Int32) {
        var columns: Int32 = 0
        var rows: Int32 = 0
        guard unsafe bskyauth_terminal_size(descriptor, &columns, &rows) == 0 else { return nil }
        self.init(columns: Int(columns), rows: Int(rows))
    }

    /// The size to assume when it is not known.
    package static let usual = TerminalSize(columns: 80, rows: 24)
}
