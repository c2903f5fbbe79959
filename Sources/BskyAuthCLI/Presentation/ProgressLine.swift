internal import ATPNetworking
internal import ATPPlatform
internal import Synchronization

/// A progress line at the bottom of a terminal. It is removed at the end. Nothing is written if standard error is not a
/// terminal.
final class ProgressLine: Sendable {
    private let isShown: Bool
    /// The text of the line; nil if no line is shown.
    private let shown = Mutex<String?>(nil)

    init(isShown: Bool) {
        self.isShown = isShown && StandardStream.error.isTerminal
    }

    /// Shows a text. It is not computed if the line is not visible.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
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
        guard isShown else { return try await work() }
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
