internal import ATPPlatform

/// Reads an app password: from the terminal without echo, or from standard input; never from the command
/// line.
struct AppPasswordReader {
    let context: CommandContext

    func read() throws -> String {
        let typed = try typed()
        let password = if let typed { typed } else { try piped() }
        guard !password.isEmpty else {
            throw Failure.usage("no app password was given: type it, or send it to standard input")
        }
        if !Self.looksLikeAppPassword(password) { try warn(isTyped: typed != nil) }
        return password
    }

    /// Asks whether a password is sent that may be the main one. From a pipe, that is only said.
    private func warn(isTyped: Bool) throws {
        let doubt =
            "this does not look like an app password (xxxx-xxxx-xxxx-xxxx); "
            + "an account's main password gives full control"
        guard isTyped else { return context.console.say("warning: \(doubt), so use an app password") }
        guard try context.answer(to: "\(doubt)\nSend it anyway?") == true else {
            throw Failure(
                .declined, "declined", "the password was not sent; nothing was saved",
                hint:
                    "make an app password in the account's settings, then: bskyauth login HANDLE --app-password"
            )
        }
    }

    /// nil if no question can be asked or if standard input has data.
    private func typed() throws -> String? {
        guard context.mayAsk, StandardStream.inputIsTerminal, let terminal = Terminal.open() else {
            return nil
        }
        do {
            return try terminal.ask("App password: ", echoes: false) ?? ""
        } catch let error {
            throw Failure.terminal(error)
        }
    }

    private func piped() throws -> String {
        do {
            let bytes = try InputFile.read("-", limit: 4096, isLine: true)
            return String(decoding: bytes.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
        } catch let error {
            throw Failure.unreadable(
                "-", error, as: .failure, hint: "bskyauth login HANDLE --app-password < FILE")
        }
    }

    /// `xxxx-xxxx-xxxx-xxxx` (protocol:A3).
    static func looksLikeAppPassword(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.count == 4
            && groups.allSatisfy { $0.count == 4 && $0.allSatisfy { $0.isLetter || $0.isNumber } }
    }
}
