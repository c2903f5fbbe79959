/// A small HTML page: no scripts, no images, nothing from elsewhere.
struct HTMLPage: Sendable {
    let title: String
    /// Markup. The caller has escaped all text from outside.
    let content: String
    /// The form-action sources. Browsers also check redirects after a form, so the consent page lists the client.
    var formTargets = ["'self'"]

    /// Escapes text for element content and quoted attributes.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }

    func answer(status: Int, cookies: [String] = []) -> Answer {
        var headers: HeaderList = [
            "content-security-policy": policy,
            "cache-control": "no-store",
            "pragma": "no-cache",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
        ]
        for cookie in cookies { headers.add("set-cookie", cookie) }
        return .text(html, type: "text/html; charset=utf-8", status: status, headers: headers)
    }

    private var policy: String {
        let digest = SHA256.digest(of: PageStyle.css.utf8)
        return "default-src 'none'; style-src 'sha256-\(Base64.encode(digest))'; "
            + "form-action \(formTargets.joined(separator: " ")); base-uri 'none'; frame-ancestors 'none'"
    }

    private var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>\(Self.escaped(title))</title>
        <style>\(PageStyle.css)</style>
        </head>
        <body>
        <main>
        <p class="brand">bskyauth sandbox</p>
        \(content)
        </main>
        </body>
        </html>

        """
    }
}
