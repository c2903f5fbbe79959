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
