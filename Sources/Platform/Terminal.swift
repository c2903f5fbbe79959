internal import CPlatform
internal import Glibc

/// The terminal of the person at the keyboard, whatever standard input and output are.
package final class Terminal: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Opens the controlling terminal; nil where there is none.
    package static func open() -> Terminal? {
        let descriptor = unsafe Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        return descriptor >= 0 ? Terminal(descriptor: descriptor) : nil
    }

    /// Asks a question and reads a line; nil at end of input.
    ///
    /// - Parameter echoes: whether what is typed is shown. The terminal is put right again before an
    ///   interrupt is obeyed.
    package func ask(_ question: String, echoes: Bool = true) throws(SystemError) -> String? {
        guard !echoes else {
            try write(question)
            return try line()
        }
        var earlier = termios()
        guard unsafe tcgetattr(descriptor, &earlier) == 0 else {
            throw SystemError(errno: errno, operation: "tcgetattr", path: "/dev/tty")
        }
        SignalHold.begin()
        defer { SignalHold.end() }
        var silent = earlier
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
            throw SystemError(errno: errno, operation: "tcsetattr", path: "/dev/tty")
        }
        defer { _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &earlier) }
        // Asked only now: whoever answers a question finds the terminal silent already.
        try write(question)
        let answer = try line(untilSignal: true)
        try write("\n")
        return answer
    }

    private func write(_ text: String) throws(SystemError) {
        try FileDescriptor.writeAll(Array(text.utf8), to: descriptor, path: "/dev/tty")
    }

    private func line(untilSignal: Bool = false) throws(SystemError) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            // Another thread may have been given the signal: reading would not notice.
            if untilSignal, bskyauth_wait_for_input(descriptor) == 0 { return nil }
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError(errno: errno, operation: "read", path: "/dev/tty")
            }
            if count == 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == 0x0a { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
            if bytes.count > 16384 { return String(decoding: bytes, as: UTF8.self) }
        }
    }
}
