import Foundation

/// One pushed authorization request, from PAR to the code exchange.
struct AuthorizationRequest: Sendable {
    /// The parameters of the pushed request. They never change.
    struct Parameters: Sendable {
        let client: OAuthClient
        let redirectURI: String
        let responseMode: String
        let state: String?
        let scope: ScopeSet
        let codeChallenge: String
        let isPlainChallenge: Bool
        let loginHint: String?
        let prompt: String?
        /// How the client authenticated when it pushed the request.
        let authentication: ClientAuthentication
        /// The key the request is bound to, if PAR came with a proof.
        let jkt: String?

        /// What a verifier must hash to (RFC 7636 §4.6).
        func challenge(of verifier: String) -> String {
            isPlainChallenge ? verifier : Base64URL.encode(SHA256.digest(of: verifier.utf8))
        }
    }

    /// Prefix of every request_uri the reference server hands out.
    static let prefix = "urn:ietf:params:oauth:request_uri:"
    /// The lifetime of a request and of a code. Each page load starts it again (`protocol:R31`, `R42`).
    static let lifetime: TimeInterval = 300

    let uri: String
    let parameters: Parameters
    var expires: Date
    /// The browser that opened it first.
    var device: String?
    /// The account that signed in on that browser.
    var account: Account?
    var isFinished = false
}

/// The redirect back to the client.
struct AuthorizationRedirect: Sendable {
    let redirectURI: String
    let mode: String
    var parameters: [(String, String)]

    /// The URL, with the parameters in the query, or in the fragment if the client asked for that (case 202).
    var location: String {
        if parameters.isEmpty { return redirectURI }
        let encoded = FormBody.encoded(parameters)
        if mode == "fragment" { return redirectURI + "#" + encoded }
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + encoded
    }
}
