internal import ATPNetworking

/// A redirect that answers our request and comes from our server (RFC 6749 §4.1.2, RFC 9207 §2,
/// protocol:R36-R40).
package struct AuthorizationResponse: Sendable {
    package let code: AuthorizationCode

    /// Reads the query of the redirect. Checks `state` first, then `iss`, `error` and `code`, so that nothing is
    /// believed before its sender is known.
    ///
    /// - Parameter needsIssuer: whether the server names itself in every redirect
    ///   (``AuthorizationServerMetadata/namesIssuerInRedirects``). Otherwise a redirect may lack its `iss`, and each server needs
    ///   a redirect URI of its own (RFC 9700 §4.4.2).
    /// - Throws: ``AuthorizationResponseError`` for the first check that fails.
    package init(
        query: String, expectedState: State, issuer: Issuer, needsIssuer: Bool
    ) throws(AuthorizationResponseError) {
        guard query.utf8.count <= Self.longestQuery, let parameters = FormParameters(parsing: query),
            Self.names.allSatisfy({ parameters.values($0).count <= 1 })
        else { throw .malformed }
        guard let state = parameters.single("state") else { throw .stateMissing }
        guard expectedState.matches(state) else { throw .stateMismatch }
        let found = parameters.single("iss")
        if let found, found != issuer.description {
            throw .issuerMismatch(found: UntrustedText.harmless(found))
        }
        if let error = parameters.single("error") {
            let description = parameters.single("error_description").map { UntrustedText.harmless($0) }
            throw .refused(error: UntrustedText.harmless(error, limit: 128), description: description)
        }
        guard found != nil || !needsIssuer else { throw .issuerMissing }
        guard let code = parameters.single("code"), !code.isEmpty else { throw .codeMissing }
        self.code = AuthorizationCode(code)
    }

    private static let names = ["state", "iss", "error", "error_description", "code"]
    private static let longestQuery = 16384
}

/// Why a redirect has no usable code. The texts are safe to display.
package enum AuthorizationResponseError: Error, Sendable, Hashable {
    /// The query has broken escapes or a repeated parameter (RFC 6749 §3.1), or is too long.
    case malformed
    case stateMissing
    case stateMismatch
    /// The code comes without its issuer (RFC 9207 §2.4, protocol:R38).
    case issuerMissing
    case issuerMismatch(found: String)
    /// The server or the user refused (RFC 6749 §4.1.2.1).
    case refused(error: String, description: String?)
    case codeMissing

    /// Whether the redirect answers our request. Anyone can send any other redirect, so it must not end the login
    /// (protocol:R40).
    package var belongsToThisRequest: Bool {
        switch self {
        case .malformed, .stateMissing, .stateMismatch: false
        case .issuerMissing, .issuerMismatch, .refused, .codeMissing: true
        }
    }
}
