internal import Platform
internal import Synchronization

/// One line at the bottom of a terminal that says how far something has come, and is gone when it is done.
/// Where standard error is no terminal nothing is written.
final class ProgressLine: Sendable {
    private let isShown: Bool
    private let isDirty = Mutex(false)

    init(isShown: Bool) {
        self.isShown = isShown && StandardStream.error.isTerminal
    }

    func show(_ text: String) {
        guard isShown else { return }
        isDirty.withLock { isDirty in
            write("\r\u{1b}[K\(text)")
            isDirty = true
        }
    }

    /// Makes room for other words.
    func clear() {
        isDirty.withLock { isDirty in
            if isDirty { write("\r\u{1b}[K") }
            isDirty = false
        }
    }

    private func write(_ text: String) {
        // There is nobody left to tell when standard error is gone.
        do { try StandardStream.error.write(Array(text.utf8)) } catch {}
    }
}
