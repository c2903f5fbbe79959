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

extension CallbackPage {
    /// The one style sheet, light and dark: the system's font, text at a contrast of 4.5 to 1 or more, and
    /// nothing wider than the window.
    static let style = """
        :root{color-scheme:light dark;--page:#f3f4f7;--card:#fff;--line:#dfe2e8;--ink:#16191f;--soft:#555c69;\
        --green:#157347;--green-tint:#dff3e7;--grey:#4a5261;--grey-tint:#e8eaef;--red:#b3261e;--red-tint:#fce4e2;\
        --blue:#1a5fc8;--blue-tint:#e1ecfd;font:16px/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--page)}
        @media(prefers-color-scheme:dark){:root{--page:#101216;--card:#191c22;--line:#2c313b;--ink:#eef0f4;\
        --soft:#a8afbc;--green:#63d699;--green-tint:#15352a;--grey:#bcc3cf;--grey-tint:#2b303a;--red:#ff9a90;\
        --red-tint:#43201f;--blue:#8ab8ff;--blue-tint:#1a2d4b}}
        body{box-sizing:border-box;min-height:100vh;margin:0;padding:1rem;display:flex;flex-direction:column;\
        align-items:center;justify-content:center}
        main{box-sizing:border-box;width:100%;max-width:28rem;padding:2.25rem 1.75rem;border:1px solid var(--line);\
        border-radius:1rem;background:var(--card);text-align:center;overflow-wrap:anywhere}
        svg{width:3.5rem;height:3.5rem}
        .outline{fill:var(--tint);stroke:var(--tint);stroke-width:4;stroke-linejoin:round}
        .sign{fill:none;stroke:var(--sign);stroke-width:4;stroke-linecap:round;stroke-linejoin:round}
        .signed-in{--sign:var(--green);--tint:var(--green-tint)}
        .declined{--sign:var(--grey);--tint:var(--grey-tint)}
        .failed{--sign:var(--red);--tint:var(--red-tint)}
        .waiting{--sign:var(--blue);--tint:var(--blue-tint)}
        .waiting .sign{stroke-width:5.5}
        h1{margin:1rem 0 .5rem;font-size:1.3rem;line-height:1.3;text-wrap:balance}
        p{margin:0;color:var(--soft);text-wrap:balance}
        p+p{margin-top:.5rem}
        footer{margin:1rem 0;color:var(--soft);font-size:.8rem;letter-spacing:.02em}
        """
}

/// The drawing on a callback page: one for each result. The drawings differ in their lines as well as in colour.
enum CallbackMark: String, CaseIterable {
    case signedIn = "signed-in"
    case declined
    case failed
    /// The request changed nothing, and the login continues.
    case waiting

    /// The drawing, for the style sheet of the page; the words beside it say the same.
    var svg: String {
        """
        <svg class="\(rawValue)" viewBox="0 0 48 48" aria-hidden="true">\(outline)\
        <path class="sign" d="\(sign)"/></svg>
        """
    }

    private var outline: String {
        switch self {
        case .signedIn, .waiting: #"<circle class="outline" cx="24" cy="24" r="22"/>"#
        case .declined: #"<rect class="outline" x="3" y="3" width="42" height="42" rx="12"/>"#
        case .failed: #"<path class="outline" d="M24 6 44 41H4z"/>"#
        }
    }

    private var sign: String {
        switch self {
        case .signedIn: "M15 25l6.5 6.5L33.5 18"
        case .declined: "M16 24h16"
        case .failed: "M24 19v10M24 35.5v.01"
        case .waiting: "M15 24h.01M24 24h.01M33 24h.01"
        }
    }
}
