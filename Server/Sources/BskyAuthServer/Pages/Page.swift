internal import BskyAuthServerSupport
internal import FoundationEssentials

/// A page of the server. It works without scripts, and loads nothing.
struct Page {
    let title: String
    let body: HTML
    /// An address that the browser goes to at once.
    var next: String?

    func text(appName: String) -> String {
        let refresh: HTML? = next.map { "<meta http-equiv=\"refresh\" content=\"0;url=\($0)\">\n" }
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            \(refresh)<title>\(title) – \(appName)</title>
            <style>
            """
        let end: HTML = """
            </style>
            </head>
            <body>
            <main>
            <p class="app">\(appName)</p>
            \(body)
            </main>
            </body>
            </html>

            """
        return page.description + Self.style + end.description
    }

    /// Allows the one style sheet of the page, by its hash, and forms that lead back here (CSP3).
    static let policy: String = {
        let hash = Data(ServerCryptography.sha256(Array(style.utf8))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(hash)'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
    }()

    static let style = """
        :root { --ink: #1b2430; --soft: #5b6675; --paper: #f3f5f8; --card: #fff; --line: #d5dbe3;
          --accent: #0a5fd8; --on-accent: #fff; --danger: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e8edf4; --soft: #a3afbf; --paper: #10151c; --card: #1a212b; --line: #364150;
            --accent: #7db4ff; --on-accent: #0b1a30; --danger: #ff8a80; } }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100vh; padding: 1rem; display: flex; align-items: center;
          justify-content: center; background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
        main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card);
          border: 1px solid var(--line); border-radius: 1rem; }
        .app { margin: 0 0 .25rem; color: var(--soft); font-size: .875rem; }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
        p { margin: 0 0 1rem; }
        .hint, small { color: var(--soft); font-size: .875rem; }
        form + .hint { margin: 1rem 0 0; }
        label { display: block; margin-bottom: .375rem; font-weight: 600; }
        input { width: 100%; padding: .75rem; font: inherit; color: inherit; background: transparent;
          border: 1px solid var(--soft); border-radius: .5rem; }
        button, .button { display: inline-block; padding: .625rem 1rem; font: inherit; font-weight: 600;
          border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: var(--ink);
          cursor: pointer; text-decoration: none; }
        .main { width: 100%; margin-top: 1rem; padding: .75rem; border-color: var(--accent); text-align: center;
          background: var(--accent); color: var(--on-accent); }
        .danger { color: var(--danger); }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        ul { list-style: none; margin: 0 0 1.5rem; padding: 0; border-top: 1px solid var(--line); }
        li { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding: .875rem 0;
          border-bottom: 1px solid var(--line); }
        li > div { flex: 1 1 9rem; min-width: 0; overflow-wrap: anywhere; }
        li small { display: block; }
        li button { padding: .375rem .75rem; font-size: .875rem; }
        .active { color: var(--accent); font-weight: 600; }
        .row { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem; }
        .alert { padding: .75rem 1rem; border-left: 4px solid var(--danger); background: var(--paper);
          border-radius: .25rem; }
        """
}
