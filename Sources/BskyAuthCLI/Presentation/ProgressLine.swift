internal import ATPNetworking
internal import ATPPlatform
internal import Synchronization

/// A progress line at the bottom of a terminal. It is removed at the end. Nothing is written if standard error is not a
/// terminal.
final class ProgressLine: Sendable {
    private let isShown: Bool
    /// Whether another program has the terminal from now on.
    private let isOff = Mutex(false)
    /// The text of the line; nil if no line is shown.
    private let shown = Mutex<String?>(nil)

    init(isShown: Bool) {
        self.isShown = isShown && StandardStream.error.isTerminal
    }

    /// Shows a text. It is not computed if the line is not visible.
    func show(_ text: @autoclosure () -> String) {
        guard isShown, !isOff.withLock(\.self) else { return }
        let text = text()
        shown.withLock { shown in
            if shown != text { write("\r\u{1b}[K\(text)") }
            shown = text
        }
    }

    /// Shows a text after a while, unless the work is done by then or another text is shown.
    func showing<Value>(
        _ text: String, after delay: Duration, during work: () async throws(TransportError) -> Value
    ) async throws(TransportError) -> Value {
        guard isShown, !isOff.withLock(\.self) else { return try await work() }
        let notice = Task {
            try await Task.sleep(for: delay)
            shown.withLock { shown in
                guard shown == nil, !Task.isCancelled else { return }
                write("\r\u{1b}[K\(text)")
                shown = text
            }
        }
        defer {
            notice.cancel()
            shown.withLock { shown in
                if shown == text {
                    write("\r\u{1b}[K")
                    shown = nil
                }
            }
        }
        return try await work()
    }

    /// Shows nothing any more: another program writes to the terminal.
    func turnOff() {
        isOff.withLock { $0 = true }
        clear()
    }

    /// Makes room for other words.
    func clear() {
        shown.withLock { shown in
            if shown != nil { write("\r\u{1b}[K") }
            shown = nil
        }
    }

    private func write(_ text: String) {
        // If standard error is closed, the error can't be reported.
        try? StandardStream.error.write(Array(text.utf8))
    }
}
