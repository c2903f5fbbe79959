internal import ATPCryptography
internal import FoundationEssentials

/// What the pages of a client's static site have in common. They load nothing, and need no header of the host: what a
/// page can forbid itself stands in `meta` elements.
enum SitePage {
    /// A whole page.
    ///
    /// - Parameters:
    ///   - main: the markup below the drawing.
    ///   - script: the one script that the page may run.
    static func html(title: String, main: String, footer: String, script: String? = nil) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy(script))">
        <meta name="referrer" content="no-referrer">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(title) – bskyauth</title>
        <style>\(style)</style>
        <main>
        \(terminal)
        \(main)
        </main>
        <footer>\(footer)</footer>
        \(script.map { "<script>\($0)</script>\n" } ?? "")</html>

        """
    }

    private static let terminal = """
        <svg viewBox="0 0 48 48" aria-hidden="true"><circle class="outline" cx="24" cy="24" r="24"/>\
        <path class="sign" d="M15 16l8 8-8 8M26 32h8"/></svg>
        """

    private static func policy(_ script: String?) -> String {
        """
        default-src 'none'; \(script.map { "script-src '\(source($0))'; " } ?? "")style-src '\(source(style))'; \
        base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'
        """
    }

    /// The hash of an inline text, as a source of a policy (CSP Level 3 §2.3.1).
    private static func source(_ text: String) -> String {
        "sha256-\(Data(SHA256.hash(text.utf8)).base64EncodedString())"
    }
}

extension SitePage {
    /// The one style sheet, light and dark.
    ///
    /// It repeats the colours of ``CallbackPage`` and does not share them, because a change to this text is a new
    /// version of the relay page.
    static let style = """
        :root{color-scheme:light dark;--page:#f3f4f7;--card:#fff;--edge:#dfe2e8;--line:#8a919e;--ink:#16191f;\
        --soft:#555c69;--blue:#1a5fc8;--blue-tint:#e1ecfd;--on-blue:#fff;font:16px/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--page)}
        @media(prefers-color-scheme:dark){:root{--page:#101216;--card:#191c22;--edge:#2c313b;--line:#7b8494;\
        --ink:#eef0f4;--soft:#a8afbc;--blue:#8ab8ff;--blue-tint:#1a2d4b;--on-blue:#101216}}
        [hidden]{display:none!important}
        body{box-sizing:border-box;min-height:100vh;margin:0;padding:1rem;display:flex;flex-direction:column;\
        align-items:center;justify-content:center}
        main{box-sizing:border-box;width:100%;max-width:30rem;padding:2.25rem 1.75rem;border:1px solid var(--edge);\
        border-radius:1rem;background:var(--card);text-align:center;overflow-wrap:anywhere}
        svg{width:3.5rem;height:3.5rem}
        .outline{fill:var(--blue-tint)}
        .sign{fill:none;stroke:var(--blue);stroke-width:4;stroke-linecap:round;stroke-linejoin:round}
        h1{margin:1rem 0 .5rem;font-size:1.3rem;line-height:1.3;text-wrap:balance}
        p{margin:.5rem 0 0;color:var(--soft);text-wrap:balance}
        .warning{margin-top:1.5rem;color:var(--ink);font-weight:600}
        code{font:.95em ui-monospace,monospace}
        a,button{display:inline-block;box-sizing:border-box;margin-top:1rem;padding:.6rem 1.25rem;\
        border:1px solid var(--blue);border-radius:.5rem;font:inherit;font-weight:600;text-decoration:none;\
        cursor:pointer}
        a{background:var(--blue);color:var(--on-blue)}
        button{background:var(--card);color:var(--blue)}
        label{display:block;margin:1rem 0 .25rem;text-align:left;font-weight:600}
        textarea{display:block;box-sizing:border-box;width:100%;padding:.6rem;border:1px solid var(--line);\
        border-radius:.5rem;background:var(--page);color:var(--ink);font:.85rem/1.4 ui-monospace,monospace;\
        resize:vertical;word-break:break-all}
        :focus-visible{outline:3px solid var(--blue);outline-offset:2px}
        footer{margin:1rem 0;color:var(--soft);font-size:.8rem;letter-spacing:.02em}
        """
}
