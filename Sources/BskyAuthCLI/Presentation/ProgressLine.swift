internal import Platform
internal import Synchronization

/// A progress line at the bottom of a terminal. It is removed at the end. Nothing is written if standard error is not a
/// terminal.
final class ProgressLine: Sendable {
    private let isShown: Bool
    /// What the line says; nil where there is none.
    private let shown = Mutex<String?>(nil)

    init(isShown: Bool) {
        self.isShown = isShown && StandardStream.error.isTerminal
    }

    /// Shows a text, which is not even made where nobody sees it.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let text = text()
        shown.withLock { shown in
            if shown != text { write("\r\u{1b}[K\(text)") }
            shown = text
        }
    }

    /// Makes room for other words.
    func clear() {
        shown.withLock { shown in
            if shown != nil { write("\r\u{1b}[K") }
            shown = nil
        }
    }

    private func write(_ text: String) {
        // There is nobody left to tell when standard error is gone.
        try? StandardStream.error.write(Array(text.utf8))
    }
}
