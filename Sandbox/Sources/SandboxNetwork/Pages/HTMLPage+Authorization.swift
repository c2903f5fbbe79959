import Foundation

extension HTMLPage {
    static func signIn(
        clientName: String,
        issuer: String,
        csrf: String,
        requestURI: String,
        username: String,
        wrongPassword: Bool
    ) -> HTMLPage {
        let alarm = wrongPassword ? "<p class=\"alarm\" role=\"alert\">Wrong identifier or password</p>" : ""
        let focus = username.isEmpty ? ("autofocus", "") : ("", "autofocus")
        return HTMLPage(
            title: "Sign in",
            content: """
                <h1>Sign in</h1>
                <p>to go on to <strong>\(escaped(clientName))</strong> with your account on \(escaped(issuer))</p>
                \(alarm)
                <form method="post" action="/oauth/authorize/sign-in">
                \(hidden(csrf: csrf, requestURI: requestURI))
                <label for="username">Handle or DID</label>
                <input id="username" name="username" value="\(escaped(username))" autocomplete="username" \
                autocapitalize="none" spellcheck="false" required \(focus.0)>
                <label for="password">Password</label>
                <input id="password" name="password" type="password" autocomplete="current-password" \
                required \(focus.1)>
                <button type="submit">Sign in</button>
                </form>
                """
        )
    }

    static func consent(
        client: OAuthClient,
        account: Account,
        scope: ScopeSet,
        redirectURI: String,
        csrf: String,
        requestURI: String
    ) -> HTMLPage {
        let scopes = scope.tokens.map { "<li><code>\(escaped($0))</code></li>" }.joined()
        return HTMLPage(
            title: "Allow access",
            content: """
                <h1>Allow access?</h1>
                <p><strong>\(escaped(client.name))</strong> asks for access to your account.</p>
                <dl>
                <dt>Account</dt><dd>\(escaped(account.handle))</dd>
                <dt>Client</dt><dd>\(escaped(client.clientID))</dd>
                <dt>Scopes</dt><dd><ul>\(scopes)</ul></dd>
                </dl>
                <form method="post" action="/oauth/authorize/consent">
                \(hidden(csrf: csrf, requestURI: requestURI))
                <div class="row">
                <button class="plain" name="decision" value="reject">Reject</button>
                <button name="decision" value="accept">Accept</button>
                </div>
                </form>
                """,
            formTargets: ["'self'", origin(of: redirectURI)]
        )
    }

    static func error(code: String, description: String) -> HTMLPage {
        HTMLPage(
            title: "Something went wrong",
            content: """
                <h1>Something went wrong</h1>
                <p class="alarm" role="alert">\(escaped(description))</p>
                <p><code>\(escaped(code))</code>. Go back to the application and start again.</p>
                """
        )
    }

    /// A page with a button that posts the parameters to the client.
    static func formPost(_ redirect: AuthorizationRedirect) -> HTMLPage {
        let fields = redirect.parameters.map {
            "<input type=\"hidden\" name=\"\(escaped($0.0))\" value=\"\(escaped($0.1))\">"
        }
        return HTMLPage(
            title: "Back to the application",
            content: """
                <h1>Back to the application</h1>
                <form method="post" action="\(escaped(redirect.redirectURI))">
                \(fields.joined())
                <button type="submit">Continue</button>
                </form>
                """,
            formTargets: [origin(of: redirect.redirectURI)]
        )
    }

    private static func hidden(csrf: String, requestURI: String) -> String {
        """
        <input type="hidden" name="csrf" value="\(escaped(csrf))">
        <input type="hidden" name="request_uri" value="\(escaped(requestURI))">
        """
    }

    /// Scheme, host and port of a URI, for the form-action directive. Some browsers refuse `[::1]` there, so the
    /// result is the scheme alone.
    private static func origin(of uri: String) -> String {
        guard let parts = URLComponents(string: uri), let scheme = parts.scheme, let host = parts.host else {
            return "'none'"
        }
        if host.contains(":") { return scheme + ":" }
        return scheme + "://" + host + (parts.port.map { ":\($0)" } ?? "")
    }
}
