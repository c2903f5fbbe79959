import Foundation

/// The style sheet of the pages, for light and dark mode.
enum PageStyle {
    static let css = """
        :root { color-scheme: light dark; --ink: #14181f; --soft: #5a6472; --line: #d5dae1; --paper: #fff;
          --ground: #f2f4f7; --accent: #0b63d6; --on-accent: #fff; --alarm: #b3261e; }
        @media (prefers-color-scheme: dark) { :root { --ink: #eceff4; --soft: #a3adbb; --line: #39424e;
          --paper: #1b2028; --ground: #11151b; --accent: #6cabff; --on-accent: #0b1420; --alarm: #ff8f87; } }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
          background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--paper);
          border: 1px solid var(--line); border-radius: 14px; }
        h1 { margin: .25rem 0 .5rem; font-size: 1.4rem; line-height: 1.25; }
        p { margin: 0 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
        .brand { margin: 0; font-size: .8rem; letter-spacing: .04em; }
        .alarm { color: var(--alarm); }
        strong, dd { color: var(--ink); }
        label { display: block; margin: 0 0 .25rem; font-weight: 600; font-size: .9rem; }
        input { width: 100%; margin: 0 0 1rem; padding: .65rem .75rem; font: inherit; color: inherit;
          background: transparent; border: 1px solid var(--line); border-radius: 8px; }
        input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        dl { margin: 0 0 1.25rem; } dt { font-size: .85rem; color: var(--soft); }
        dd { margin: 0 0 .6rem; overflow-wrap: anywhere; } ul { margin: 0; padding-left: 1.1rem; }
        .row { display: flex; gap: .75rem; }
        button { flex: 1; width: 100%; padding: .7rem; font: inherit; font-weight: 600; cursor: pointer;
          border-radius: 8px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); }
        button.plain { background: transparent; color: inherit; border-color: var(--line); }
        """
}

/// Standard base64 with padding, the form of CSP hashes.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }
}
