internal import BskyAuthCore
internal import Cryptography
internal import LoopbackServer

/// The page that the browser ends on. It says what happened, loads nothing, and takes the code out of the
/// address bar.
enum CallbackPage {
    static func reply(_ receipt: RedirectReceipt) -> RedirectReply {
        switch receipt {
        case .notOurs:
            page(
                400, mark: "?", "This is not the answer bskyauth waits for",
                "The link belongs to another login, or to none. The login in the terminal goes on waiting.")
        case .settled(.success(let outcome)):
            page(
                200, mark: "✓", "Signed in as \(AccountText.name(outcome.account))",
                "You can close this page and go back to the terminal.")
        case .settled(.failure(let error)):
            failure(ErrorPresenter.failure(error))
        }
    }

    private static func failure(_ failure: Failure) -> RedirectReply {
        if failure.status == .declined {
            return page(200, mark: "–", "Not signed in", "You declined. Nothing was saved.")
        }
        let said = failure.message.prefix(1).uppercased() + failure.message.dropFirst()
        let isComplete = said.hasSuffix("nothing was saved")
        return page(
            200, mark: "!", "The login did not succeed", said + (isComplete ? "." : ". Nothing was saved."))
    }

    private static func page(_ status: Int, mark: String, _ title: String, _ text: String) -> RedirectReply {
        let html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(escaped(title)) – bskyauth</title>
            <style>\(style)</style>
            <main><div class="mark" aria-hidden="true">\(mark)</div><h1>\(escaped(title))</h1>\
            <p>\(escaped(text))</p></main>
            <script>\(script)</script>
            </html>
            """
        return RedirectReply(
            status: status, html: Array(html.utf8), scriptSHA256: SHA256.hash(script.utf8))
    }

    private static let script = "history.replaceState(null,'',location.pathname)"

    private static let style = """
        :root{font:16px/1.5 system-ui,sans-serif;color:#1a1a1f;background:#f6f6f8}\
        body{margin:0}\
        main{max-width:28rem;margin:18vh auto 0;padding:0 1.5rem;text-align:center}\
        .mark{width:3.5rem;height:3.5rem;margin:0 auto;border-radius:50%;font-size:1.75rem;line-height:3.5rem;\
        background:#0a66d6;color:#fff}\
        h1{font-size:1.35rem;margin:1.25rem 0 .5rem;overflow-wrap:anywhere}p{margin:0;overflow-wrap:anywhere;color:#55555f}\
        @media(prefers-color-scheme:dark){:root{color:#ececf1;background:#16161a}p{color:#a5a5b0}}
        """

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.shown {
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
