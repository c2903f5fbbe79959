internal import ATPPlatform
internal import BskyAuthCore
internal import OAuthDPoP
internal import Synchronization

/// Asks on the terminal for the redirect URL, while the listener waits for it too. The first redirect counts.
final class PastePrompt: Sendable {
    /// The terminal, while its cursor is behind the question.
    private let asking = Mutex<Terminal?>(nil)

    private static let question = "paste the URL that the browser ends on, or type n to cancel: "

    /// Asks until a text decides the login. The process does not wait for this thread.
    func start(at terminal: Terminal, for pending: LoginInProgress) {
        Task(executorPreference: BlockingWork.shared) {
            var question = Self.question
            while let text = self.line(question, terminal) {
                question = Self.question
                if text.isEmpty { continue }
                if ["n", "no"].contains(text.lowercased()) {
                    return await pending.giveUp(CoreError.loginDeclined)
                }
                guard let error = await pending.receive(pasted: text) else { return }
                question = "\(Self.words(error))\n\(Self.question)"
            }
        }
    }

    /// Begins a new line if the question is still on the screen.
    func end() {
        let terminal = asking.withLock { $0.take() }
        // Only how the next message looks depends on it.
        try? terminal?.write("\n")
    }

    /// Prints something on lines of its own, also while the question is on the screen.
    func interrupt(_ message: () -> Void) {
        asking.withLock { terminal in
            // Only how the screen looks depends on both.
            try? terminal?.write("\n")
            message()
            try? terminal?.write(Self.question)
        }
    }

    private func line(_ question: String, _ terminal: Terminal) -> String? {
        asking.withLock { $0 = terminal }
        let line = try? terminal.ask(question)
        asking.withLock { $0 = nil }
        return line?.filter { !$0.isWhitespace }
    }

    private static func words(_ error: AuthorizationResponseError) -> String {
        error == .stateMismatch
            ? "that URL belongs to another login"
            : "that is not the whole URL of the browser's last page; the right one contains \"state=\""
    }
}
