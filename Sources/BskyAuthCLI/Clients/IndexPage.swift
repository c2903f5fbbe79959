/// The page `index.html` of a client's static site. It says what the place is. The text is the same at every site.
enum IndexPage {
    static let html = SitePage.html(
        title: "An OAuth client",
        main: """
            <h1>An OAuth client of bskyauth</h1>
            <p>bskyauth signs people in to AT Protocol accounts, such as Bluesky, from the command line. Somebody who \
            uses it publishes their own client here.</p>
            <p>There is nothing to do on this page. If you are asked to give this address access to your account, and \
            you did not run <code>bskyauth login</code> yourself, decline.</p>
            """,
        footer: "bskyauth")
}
