internal import ATPJSON
internal import ATPNetworking

/// An authorization request that the client pushes before the browser opens (RFC 9126 §2.1, protocol:R26-R29).
package struct PushedAuthorizationRequest: Sendable {
    let client: Client
    let redirectURI: String
    let scope: Scope
    let state: State
    let challenge: String
    let loginHint: String?
    let responseMode: ResponseMode

    /// - Parameters:
    ///   - challenge: ``CodeVerifier/challenge`` of a new verifier.
    ///   - loginHint: a handle or DID. Nil if the login began with a URL (protocol:R34).
    ///   - responseMode: how the redirect carries the answer.
    package init(
        client: Client, redirectURI: String, scope: Scope, state: State, challenge: String,
        loginHint: String? = nil, responseMode: ResponseMode = .query
    ) {
        self.client = client
        self.redirectURI = redirectURI
        self.scope = scope
        self.state = state
        self.challenge = challenge
        self.loginHint = loginHint
        self.responseMode = responseMode
    }

    var parameters: FormParameters {
        var parameters: FormParameters = [
            "response_type": "code",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "state": state.value,
            "redirect_uri": redirectURI,
            "scope": scope.description,
        ]
        if let loginHint { parameters.append("login_hint", loginHint) }
        // The query is the default, so it is not named.
        if responseMode == .fragment { parameters.append("response_mode", responseMode.rawValue) }
        return parameters
    }
}

/// How a redirect carries the answer (OAuth 2.0 Multiple Response Types §2.1).
package enum ResponseMode: String, Sendable {
    case query
    /// After the `#` of the URL, which browsers do not send to the host of the page.
    case fragment
}

/// The reference to a pushed request (RFC 9126 §2.2). It works for one visit of a browser.
package struct PushedAuthorizationResponse: Sendable {
    package let requestURI: String
    /// Seconds until the reference expires.
    package let expiresIn: Int64

    /// Nil if the JSON is not such a reference.
    init?(json: JSONValue) {
        guard let requestURI = json["request_uri"]?.string, (1...2048).contains(requestURI.utf8.count),
            let expiresIn = json["expires_in"]?.integer, expiresIn > 0
        else { return nil }
        self.requestURI = requestURI
        self.expiresIn = expiresIn
    }
}
