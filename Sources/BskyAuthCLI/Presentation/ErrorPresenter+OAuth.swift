internal import ATPNetworking
internal import ATProtoSessions
internal import BskyAuthCore
internal import OAuthDPoP

extension ErrorPresenter {
    // MARK: Discovery

    static func failure(_ error: DiscoveryError) -> Failure {
        let place = error.url.escapedForTerminal
        func network(_ code: String, _ message: String) -> Failure {
            Failure(.network, code, message, hint: "run the command again later")
        }
        func unverified(_ code: String, _ message: String) -> Failure {
            Failure(
                .verificationFailed, code, message, hint: "check the server before you try again")
        }
        return switch error.code {
        case .transport(let error): failure(error)
        case .status(let status) where status >= 500:
            Failure(
                .serverError, "discovery", "\(place) answered HTTP \(status) instead of its metadata",
                hint: "run the command again later", http: status)
        case .status(let status):
            network("discovery", "\(place) answered HTTP \(status) instead of its metadata")
        case .redirect:
            unverified(
                "metadata_redirect", "\(place) redirects; bskyauth does not follow redirects for metadata")
        case .mediaType: network("discovery", "\(place) is not JSON")
        case .malformed: network("discovery", "\(place) is not valid JSON")
        case .missing(let field):
            unverified("unacceptable_metadata", "\(place) lacks \(field.escapedForTerminal)")
        case .unacceptable(let field):
            unverified(
                "unacceptable_metadata",
                "\(place) has a value of \(field.escapedForTerminal) that atproto does not allow"
            )
        case .issuerMismatch(let expected, let found):
            unverified(
                "issuer_mismatch",
                "\(place) says that it belongs to \(found.escapedForTerminal), not to \(expected.escapedForTerminal)"
            )
        case .resourceMismatch(let expected, let found):
            unverified(
                "resource_mismatch",
                "\(place) describes \(found.escapedForTerminal), not \(expected.escapedForTerminal)")
        case .resourceNotProtected(let resource):
            unverified(
                "resource_mismatch",
                "\(place) does not list \(resource.escapedForTerminal) as one of its resources")
        case .invalidIssuer(let error):
            unverified(
                "invalid_issuer",
                "\(place) names \(error.text.escapedForTerminal), which is not a valid issuer")
        }
    }

    static func oauthNotServed(_ server: Origin, _ error: DiscoveryError) -> Failure {
        var failure = failure(error)
        failure.message +=
            ", although \(server.authority) answers calls: a proxy in front of it does not pass on /.well-known/, "
            + "or the server has no OAuth"
        failure.hint = "an app password needs no OAuth:  bskyauth login HANDLE --app-password"
        return failure
    }

    // MARK: The authorization server's answers

    static func failure(_ error: OAuthError, _ login: AccountLogin?) -> Failure {
        let name = login.map { AccountText.name($0.account) }
        let server = words(error.endpoint)
        switch error.code {
        case .transport(let transport):
            var failure = failure(transport)
            failure.account = name
            if error.endpoint == .clientAssertion { failure.message += nothingSent(login) }
            if error.endpoint == .refresh, transport.requestWasSent {
                return Failure(
                    failure.status, "refresh_unanswered",
                    "\(server) did not answer; it is not known whether \(name ?? "the session") was refreshed",
                    hint:
                        "run the command again: it finds out, after up to 90 s, whether the session still works",
                    account: name)
            }
            return failure
        case .response(let response): return failure(response, error, server, login)
        case .malformedResponse(let status): return malformed(server, status, name)
        case .unreadableTokens(let answer): return malformed(server, answer.status, name)
        case .nonceRefused:
            return Failure(
                .refused, "nonce_refused", "\(server) keeps asking for a new DPoP nonce",
                hint: "check whether a proxy removes the DPoP-Nonce header", account: name)
        case .unsupported:
            return Failure(
                .refused, "unsupported", "the authorization server has no endpoint for this: \(server)",
                hint: login.map {
                    "bskyauth logout --local-only \(AccountText.selector($0.account))"
                },
                account: name)
        case .cryptography(let error):
            var failure = failure(error)
            failure.account = name
            return failure
        case .wrongAssertion(let part):
            return Failure(
                .verificationFailed, "wrong_assertion",
                "\(server) made a client assertion for something else (\(part.escapedForTerminal))\(nothingSent(login))",
                hint: "tell the operator of \(backend(login) ?? "the server")", account: name)
        case .noClientKey(let keyID):
            return Failure(
                .loginNeeded, "no_client_key",
                "the session needs the client key \"\(keyID.escapedForTerminal)\", which is not on this machine; nothing was sent",
                hint: login.map(AccountText.loginCommand) ?? "bskyauth login HANDLE", account: name)
        }
    }

    private static func malformed(_ server: String, _ status: Int, _ account: String?) -> Failure {
        Failure(
            .network, "malformed_response", "\(server) answered HTTP \(status) in the wrong format",
            hint: "run the command again later", account: account, http: status)
    }

    private static func failure(
        _ response: OAuthErrorResponse, _ error: OAuthError, _ server: String, _ login: AccountLogin?
    ) -> Failure {
        let name = login.map { AccountText.name($0.account) }
        let said = [response.error, response.description].compactMap { $0?.escapedForTerminal }.joined(
            separator: ": ")
        let what = said.isEmpty ? "HTTP \(response.status)" : "\(said) (HTTP \(response.status))"
        if let skew = error.skew, abs(skew) > 30 {
            let distance = TimeText.length(Double(abs(skew)))
            return Failure(
                .refused, "clock_skew",
                "your clock is \(distance) \(skew > 0 ? "behind" : "ahead"), so the server refuses DPoP proofs: \(what)",
                hint: "set the clock and run the command again", account: name, http: response.status,
                serverError: response.error)
        }
        if error.isAboutClient, let terms = login?.terms, terms.isConfidential {
            return Failure(
                .serverError, clientRefusedCode,
                "the server refuses the client of \(name ?? "the session"): \(what). The session is kept",
                hint: terms.checkCommand, account: name, http: response.status, serverError: response.error)
        }
        switch response.status {
        case 429:
            return rateLimited(
                by: server, what, name, serverError: response.error,
                until: response.retryAfter.map(TimeText.rfc3339(after:)))
        case 500...:
            return Failure(
                .serverError, "server_error", "\(server) failed: \(what)",
                hint: "run the command again later", account: name, http: response.status,
                serverError: response.error)
        case 400...499 where response.error == nil && response.description == nil:
            // Not the server's own answer, but the page of something in front of it.
            return Failure(
                .serverError, "server_error",
                "\(server) answered with a page instead of an OAuth error: \(what)",
                hint: "run the command again later", account: name, http: response.status)
        default:
            return Failure(
                .refused, "refused",
                "\(server) refused: \(what)\(error.endpoint == .clientAssertion ? nothingSent(login) : "")",
                hint: remedy(error.endpoint, login),
                account: name,
                http: response.status, serverError: response.error)
        }
    }

    private static func remedy(_ endpoint: OAuthError.Endpoint, _ login: AccountLogin?) -> String {
        guard let login else {
            // A one-time code is used up as soon as the server has admitted the key, so the same command would fail again.
            return endpoint == .clientAssertion
                ? "ask the operator of the server for another code, and log in with it"
                : "bskyauth login HANDLE"
        }
        if endpoint == .clientAssertion {
            return "ask the operator of \(backend(login) ?? "the server") to admit this session"
        }
        guard endpoint == .revocation else { return AccountText.loginCommand(login) }
        return "try again later:  bskyauth logout --strict \(AccountText.selector(login.account))"
    }

    private static func words(_ endpoint: OAuthError.Endpoint) -> String {
        switch endpoint {
        case .pushedAuthorizationRequest: "the authorization server"
        case .token, .refresh: "the token endpoint"
        case .revocation: "the revocation endpoint"
        case .resource: "the PDS"
        case .clientAssertion: "the server of --client-assertions"
        }
    }

    /// What it means for the user that a request to the authorization server lacked its assertion.
    private static func nothingSent(_ login: AccountLogin?) -> String {
        login == nil
            ? "; nothing was saved" : "; nothing was sent to the account's server, and the session is kept"
    }

    /// The server that makes the assertions of a login; nil if there is none.
    private static func backend(_ login: AccountLogin?) -> String? {
        if case .oauth(_, let client?) = login?.terms { client.backend?.origin.description } else { nil }
    }

    // MARK: The browser's answer

    static func failure(_ error: AuthorizationResponseError) -> Failure {
        func unverified(_ code: String, _ message: String) -> Failure {
            Failure(.verificationFailed, code, message + "; nothing was saved", hint: "bskyauth login HANDLE")
        }
        switch error {
        case .malformed: return unverified("bad_callback", "this is not an answer of an authorization server")
        case .stateMissing, .stateMismatch:
            return unverified("wrong_state", "this answer belongs to another login: its state does not match")
        case .issuerMissing:
            return unverified("missing_issuer", "the answer does not name the server that sent it")
        case .issuerMismatch(let found):
            return unverified(
                "issuer_mismatch",
                "the answer is from \(found.escapedForTerminal), not from the server of this login")
        case .codeMissing: return unverified("bad_callback", "the answer has neither a code nor an error")
        case .refused(let code, let description):
            let words = description.map { ": \($0.escapedForTerminal)" } ?? ""
            if code == "access_denied" {
                return Failure(
                    .declined, "access_denied", "the login was declined\(words); nothing was saved",
                    hint: description?.contains("deactivated") == true
                        ? activation : "bskyauth login HANDLE", serverError: code)
            }
            return Failure(
                .refused, "refused",
                "the authorization server ended the login: \(code.escapedForTerminal)\(words)",
                hint: "bskyauth login HANDLE", serverError: code.isEmpty ? nil : code)
        }
    }

    static func tokenProblem(_ problem: TokenResponseProblem) -> String {
        switch problem {
        case .tokenType(""): "the server's response does not name the type of the tokens"
        case .tokenType(let type): "the server issued tokens of type \(type.escapedForTerminal), not DPoP"
        case .missingSubject: "the server's response does not name the account"
        case .missingScope: "the server's response does not name the granted scopes"
        case .scopeWithout(let scope): "the server did not grant the scope \(scope)"
        case .idToken: "the server issued an ID token, which atproto does not allow"
        }
    }
}
