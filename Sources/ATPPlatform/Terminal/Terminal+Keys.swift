internal import CATPPlatform
internal import Glibc

/// Choosing by keys.
extension Terminal {
    /// Shows lines and passes on each key, unseen, until one decides. Then erases the lines and restores the terminal.
    ///
    /// An interrupt is obeyed after the terminal is restored. After a stop, the lines are shown again.
    ///
    /// - Parameters:
    ///   - lines: makes the lines, each shorter than the terminal is wide. Called again after each key.
    ///   - press: the outcome of a key; nil if it decides nothing.
    /// - Returns: nil at the end of input.
    package func decide<Outcome>(
        showing lines: (TerminalSize) -> [String], by press: (Key) -> Outcome?
    ) throws(SystemError) -> Outcome? {
        while true {
            switch try turn(lines, press) {
            case .decided(let outcome): return outcome
            case .ended: return nil
            case .interrupted:
                // Another hold keeps the signal. It would interrupt every turn.
                if bskyauth_signals_pending() != 0 { return nil }
            }
        }
    }

    private func turn<Outcome>(
        _ lines: (TerminalSize) -> [String], _ press: (Key) -> Outcome?
    ) throws(SystemError) -> Turn<Outcome> {
        var earlier = termios()
        guard unsafe tcgetattr(descriptor, &earlier) == 0 else { throw .last("tcgetattr", "/dev/tty") }
        SignalHold.begin(.all)
        defer { SignalHold.end(.all) }
        try setModes(Self.forKeys(earlier))
        defer { _ = unsafe tcsetattr(descriptor, TCSADRAIN, &earlier) }

        var drawing = Drawing()
        var decoder = KeyDecoder()
        func finish(_ turn: Turn<Outcome>) throws(SystemError) -> Turn<Outcome> {
            try write(drawing.erasure)
            return turn
        }
        while true {
            try write(drawing.drawn(lines(TerminalSize(of: descriptor) ?? .usual)))
            // A signal may arrive on another thread, and then reading would not notice it.
            guard bskyauth_wait_for_input(descriptor) != 0 else { return try finish(.interrupted) }
            let bytes = try pressed()
            guard !bytes.isEmpty else { return try finish(.ended) }
            var keys = decoder.keys(in: bytes)
            while decoder.isWaiting {
                let more = try pressed()
                keys += more.isEmpty ? [decoder.rest()].compactMap(\.self) : decoder.keys(in: more)
            }
            for key in keys {
                if let outcome = press(key) { return try finish(.decided(outcome)) }
            }
        }
    }

    /// Reads what the keyboard has sent; empty if it sends nothing in the time that ``forKeys(_:)`` sets.
    private func pressed() throws(SystemError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = try SystemError.retrying("read", "/dev/tty") {
            unsafe read(descriptor, &buffer, buffer.count)
        }
        return Array(buffer.prefix(count))
    }

    private func setModes(_ modes: termios) throws(SystemError) {
        var modes = modes
        guard unsafe tcsetattr(descriptor, TCSADRAIN, &modes) == 0 else {
            throw .last("tcsetattr", "/dev/tty")
        }
    }

    /// Keys arrive at once and unseen. A read ends after a tenth of a second, which tells the escape key from an escape
    /// sequence.
    private static func forKeys(_ modes: termios) -> termios {
        var modes = modes
        modes.c_lflag &= ~tcflag_t(ECHO | ICANON)
        unsafe withUnsafeMutableBytes(of: &modes.c_cc) { controls in
            unsafe controls[Int(VMIN)] = 0
            unsafe controls[Int(VTIME)] = 1
        }
        return modes
    }

    /// Lines that replace those drawn before them.
    private struct Drawing {
        private var count = 0

        mutating func drawn(_ lines: [String]) -> String {
            defer { count = lines.count }
            return erasure + lines.joined(separator: "\r\n")
        }

        /// Moves to the beginning of the first line and erases everything after it.
        var erasure: String {
            guard count > 0 else { return "" }
            return "\r" + (count > 1 ? "\u{1b}[\(count - 1)A" : "") + "\u{1b}[J"
        }
    }
}
