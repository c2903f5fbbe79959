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
    /// - Parameter names: those who are logged in; none if that is not known.
    static func siteLogout(of names: [String]) -> Page {
        let who: HTML? =
            names.isEmpty ? nil : "<p>You are logged in as \(names.joined(separator: " and ")).</p>\n"
        return Page(
            title: "Log out",
            body: """
                <h1>Log out</h1>
                \(who)<form method="post" action="/auth/logout">
                <button class="main" type="submit">Log out</button>
                </form>
                """)
    }

    /// - Parameter sites: where the person can log in again; none for somebody who need not know the sites.
    static func loggedOutOfSites(_ sites: [String]) -> Page {
        let items: [HTML] = sites.map { "<li><a href=\"\($0)\">\($0)</a></li>\n" }
        let list: HTML? = items.isEmpty ? nil : "<ul>\n\(items)</ul>\n"
        return Page(
            title: "Logged out",
            body: """
                <h1>You are logged out</h1>
                <p>Open a site to log in again. Your session at your own server may go on.</p>
                \(list)
                """)
    }
}
