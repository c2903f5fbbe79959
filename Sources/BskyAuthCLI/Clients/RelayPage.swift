internal import ATPCryptography

/// The page `callback.html` of a client's static site. The browser brings the answer to a login to this page, and the
/// page hands the answer on to the program: to its listener on this computer, or as a line to copy.
///
/// A web client may not have a redirect URI on 127.0.0.1 (atproto OAuth: clients), so its redirect URI is this page.
/// The text is the same at every site.
enum RelayPage {
    /// The version that the page shows. Every other text of the page is a new version.
    static let version = 1

    /// The SHA-256 hash, 32 bytes, of the page as it has to be published.
    static var sha256: [UInt8] { SHA256.hash(html.utf8) }

    /// The page.
    static let html = SitePage.html(
        title: "Finish the login", main: sections, footer: "bskyauth relay page \(version)", script: script)

    /// The page shows one section at a time. The first section is for browsers that don't run the script.
    private static let sections = """
        <section id="manual">
        <h1>Finish the login in your terminal</h1>
        <p>This page needs JavaScript to continue by itself. Without JavaScript, copy the whole address of this page \
        from the address bar, and paste it into the terminal.</p>
        \(warning)
        </section>
        <section id="refused" hidden>
        <h1>No login to finish</h1>
        <p>This address has no answer to a login. To start again, run <code>bskyauth login</code> in your terminal.</p>
        </section>
        <section id="answer" hidden>
        <h1>Finish the login in your terminal</h1>
        <p id="from" hidden>The answer says it comes from <strong id="host"></strong>.</p>
        <div id="here" hidden>
        <a id="continue">Continue on this computer</a>
        <p id="soon" hidden>This page continues by itself in a second.</p>
        <p>If the next page does not open, copy its address, or come back to this page and copy the line below.</p>
        </div>
        <div id="caution">\(warning)</div>
        <label for="line">Line to copy into the terminal</label>
        <textarea id="line" rows="5" readonly spellcheck="false" autocomplete="off" \
        aria-describedby="caution"></textarea>
        <button id="copy" type="button">Copy</button>
        <p id="copied" role="status"></p>
        </section>
        """

    private static let warning = """
        <p class="warning">Paste this only into a terminal where you yourself ran <code>bskyauth login</code> a moment \
        ago. Never send it to anyone.</p>
        """
}
