extension Pages {
    /// Leads to a site. A redirect can't, because the servers of accounts hold the redirects of their forms to this server.
    static func enter(_ url: String, host: String) -> Page {
        Page(
            title: "You are logged in",
            body: """
                <h1>You are logged in</h1>
                <a class="button main" href="\(url)">Continue to \(host)</a>
                """, next: url)
    }

    /// Offers to log out of the protected sites.
    ///
    /// - Parameter name: who is logged in; nil for nobody.
    static func siteLogout(of name: String?) -> Page {
        guard let name else {
            return Page(
                title: "Logged out",
                body: """
                    <h1>You are logged out</h1>
                    <p>Open a site to log in again. Your session at your own server may go on.</p>
                    """)
        }
        return Page(
            title: "Log out",
            body: """
                <h1>Log out</h1>
                <p>You are logged in as \(name).</p>
                <form method="post" action="/auth/logout">
                <button class="main" type="submit">Log out</button>
                </form>
                """)
    }
}
