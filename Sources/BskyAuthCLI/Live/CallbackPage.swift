internal import ATPCryptography
internal import ATProtoVault
internal import BskyAuthCore
internal import BskyAuthLoopback

/// The last page in the browser. It shows the result, loads nothing, and removes the code from the address bar.
///
/// After this response the listener closes, so a reload would fail. So the page asks the user to close it.
struct CallbackPage {
    /// 200 for every result of the login, 400 for a request that does not belong to it.
    let status: Int
    let mark: CallbackMark
    let title: String
    let paragraphs: [String]

    /// The result of a request, in the words of the page.
    init(_ receipt: RedirectReceipt) {
        switch receipt {
        case .notOurs:
            status = 400
            mark = .waiting
            title = "This link does not belong to the current login"
            paragraphs = [
                "The login in the terminal is still waiting. Use the link that it shows."
            ]
        case .settled(.success(let outcome)):
            status = 200
            mark = .signedIn
            title = "Signed in as \(AccountText.name(outcome.account))"
            paragraphs = ["You can close this tab and go back to the terminal."]
        case .settled(.failure(let error)):
            let failure = ErrorPresenter.failure(for: error)
            status = 200
            if failure.status == .declined {
                mark = .declined
                title = "Not signed in"
                paragraphs = ["The sign-in was declined. Nothing was saved.", "You can close this tab."]
            } else {
                mark = .failed
                title = "The login failed"
                paragraphs = [
                    Self.sentence(failure.message, adding: Self.hasSavedNothing(error)),
                    "The terminal shows what to do next. You can close this tab.",
                ]
            }
        }
    }

    /// The bytes of the page for the listener.
    var reply: RedirectReply {
        let text = paragraphs.map { "<p>\($0.escapedForHTML)</p>" }.joined(separator: "\n")
        let html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title.escapedForHTML) – bskyauth</title>
            <style>\(Self.style)</style>
            <main>
            \(mark.svg)
            <h1>\(title.escapedForHTML)</h1>
            \(text)
            </main>
            <footer>bskyauth</footer>
            <script>\(Self.script)</script>
            </html>
            """
        return RedirectReply(
            status: status, html: Array(html.utf8), styleSHA256: SHA256.hash(Self.style.utf8),
            scriptSHA256: SHA256.hash(Self.script.utf8))
    }

    /// A failure's message as sentences of a page.
    private static func sentence(_ message: String, adding hasSavedNothing: Bool) -> String {
        let said = message.prefix(1).uppercased() + message.dropFirst()
        let isComplete = said.hasSuffix("nothing was saved") || !hasSavedNothing
        return said + (isComplete ? "." : ". Nothing was saved.")
    }

    /// The vault may have saved the account before it failed.
    private static func hasSavedNothing(_ error: any Error) -> Bool { !(error is VaultError) }

    private static let script = "history.replaceState(null,'',location.pathname)"
}

extension String {
    /// The text made harmless, as text of an HTML page.
    fileprivate var escapedForHTML: String {
        var result = ""
        for character in escapedForTerminal {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }
}
