internal import FoundationEssentials

/// The pages of the server.
enum Pages {
    /// What a login form carries on besides the handle.
    struct LoginForm {
        var action = "/login"
        var handle = ""
        var redirect: String?
        var challenge: String?
        /// The page of a protected site.
        var site: String?
        var problem: String?
    }

    static func login(_ form: LoginForm) -> Page {
        let alert: HTML? = form.problem.map { "<p class=\"alert\" role=\"alert\" id=\"problem\">\($0)</p>\n" }
        let described: HTML = form.problem == nil ? "hint" : "problem hint"
        let hidden: [HTML] = [
            ("redirect", form.redirect), ("code_challenge", form.challenge), ("rd", form.site),
        ].compactMap { name, value in
            value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">\n" }
        }
        return Page(
            title: "Log in",
            body: """
                <h1>Log in</h1>
                \(alert)<form method="post" action="\(form.action)">
                \(hidden)<label for="handle">Your handle</label>
                <input id="handle" name="handle" type="text" value="\(form.handle)" required autofocus maxlength="300" autocomplete="username" autocapitalize="none" spellcheck="false" inputmode="url" placeholder="alice.bsky.social" aria-describedby="\(described)">
                <button class="main" type="submit">Continue</button>
                </form>
                <p class="hint" id="hint">You sign in at your own server. Your password stays there.</p>
                """)
    }

    /// Leads to the server of the account. A redirect can't, because browsers hold a form's redirects to `form-action`.
    static func leave(to url: String, host: String) -> Page {
        Page(
            title: "Continue to \(host)",
            body: """
                <h1>Continue to \(host)</h1>
                <p>You sign in there, and come back here afterwards.</p>
                <a class="button main" href="\(url)">Continue</a>
                """, next: url)
    }

    struct Row {
        let id: UUID
        let name: String
        let did: String
        let isActive: Bool
    }

    static func accounts(_ rows: [Row]) -> Page {
        let items: [HTML] = rows.map { row in
            let state: HTML = """
                <button name="switch" value="\(row.id.uuidString)" aria-label="Use \(row.name)">Use</button>
                """
            let active: HTML = "<span class=\"active\">In use</span>"
            return """
                <li><div><strong>\(row.name)</strong><small>\(row.did)</small></div>
                \(row.isActive ? active : state)
                <button class="danger" name="logout" value="\(row.id.uuidString)" aria-label="Log out \(row.name)">Log out</button></li>

                """
        }
        let everywhere: HTML? = rows.first(where: \.isActive).map { row in
            """
            <button class="danger" name="everywhere" value="ask">Log \(row.name) out everywhere</button>
            """
        }
        return Page(
            title: "Your accounts",
            body: """
                <h1>Your accounts</h1>
                <form method="post" action="/accounts">
                <ul>
                \(items)</ul>
                <a class="button" href="/login">Add an account</a>
                <div class="row">
                <button class="danger" name="all" value="yes">Log out of all</button>
                \(everywhere)
                </div>
                </form>
                """)
    }

    /// Asks before every session of a person ends.
    ///
    /// - Parameter name: who would be logged out.
    static func everywhere(_ name: String) -> Page {
        Page(
            title: "Log out everywhere",
            body: """
                <h1>Log \(name) out everywhere?</h1>
                <p>This ends every session of \(name) here: in this browser, in all others, and in all apps.</p>
                <form method="post" action="/accounts">
                <button class="danger" name="everywhere" value="yes">Log out everywhere</button>
                <a class="button" href="/accounts">Cancel</a>
                </form>
                """)
    }

    /// The end of a login that a browser opens again.
    static func finished(_ end: Logins.Finished) -> Page {
        let next: HTML =
            switch end {
            case .page: "<a class=\"button main\" href=\"/accounts\">Go to your accounts</a>"
            case .app: "<p>Go back to the app. You can close this page.</p>"
            case .site: "<p>Open the site that you want to see.</p>"
            }
        return Page(
            title: "You are logged in",
            body: """
                <h1>You are logged in</h1>
                <p>This login is done already.</p>
                \(next)
                """)
    }

    /// The answer of a login for a program that the browser can't reach.
    static func paste(_ line: String) -> Page {
        Page(
            title: "Copy this line",
            body: """
                <h1>Copy this line</h1>
                <label for="line">Paste it where you started the login a moment ago, and nowhere else.</label>
                <input id="line" type="text" value="\(line)" readonly>
                """)
    }

    static func problem(_ problem: Problem) -> Page {
        let next: HTML? =
            switch problem.wayOn {
            case .login: "<a class=\"button main\" href=\"/login\">Go to the login page</a>"
            case .start: "<a class=\"button main\" href=\"/\">Go to the start page</a>"
            case .nowhere: nil
            }
        return Page(
            title: "Something went wrong",
            body: """
                <h1>That did not work</h1>
                <p class="alert" role="alert">\(problem.forPeople ?? problem.message)</p>
                \(next)
                """)
    }
}
