package import ATPJSON
internal import ATPNetworking

/// A token response (RFC 6749 §5.1, RFC 9449 §5).
///
/// Reading is lenient, and ``validate(for:)`` is strict. A refresh has spent the old token by now, so the new tokens
/// must be kept even if they are not acceptable (decisions: rotation).
package struct TokenResponse: Sendable {
    package let accessToken: AccessToken
    package let refreshToken: RefreshToken?
    package let tokenType: String
    /// The granted scope. Nil if the response has none.
    package let scope: Scope?
    /// The account, as the server names it; a DID at atproto servers. Not verified.
    package let subject: String?
    /// The lifetime of the access token in seconds. Nil if the response has none.
    package let expiresIn: Int64?
    /// Whether the response has an OpenID Connect token.
    package let hasIDToken: Bool

    /// Reads a response. Ignores unknown fields, and optional fields that can't be used.
    ///
    /// - Throws: ``InvalidTokenResponse`` if there is no access token.
    package init(json: JSONValue) throws(InvalidTokenResponse) {
        func text(_ name: String) -> String? {
            json[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let accessToken = text("access_token") else { throw InvalidTokenResponse("access_token") }
        self.accessToken = AccessToken(accessToken)
        // validate(for:) checks the type. New tokens are stored before they are checked.
        tokenType = text("token_type") ?? ""
        refreshToken = text("refresh_token").map(RefreshToken.init)
        scope = text("scope").map(Scope.init)
        subject = text("sub")
        expiresIn = json["expires_in"]?.integer.flatMap { $0 < 0 ? nil : $0 }
        hasIDToken = json["id_token"].map { !$0.isNull } ?? false
    }

    /// Refuses tokens without a key, and a response that the profile does not allow (protocol:R43).
    package func validate(for profile: OAuthProfile) throws(TokenResponseProblem) {
        guard tokenType.lowercased() == "dpop" else {
            throw .tokenType(UntrustedText.harmless(tokenType, limit: 40))
        }
        guard subject != nil || !profile.requiresSubject else { throw .missingSubject }
        if let required = profile.requiredScope {
            guard let scope else { throw .missingScope }
            guard scope.contains(required) else { throw .scopeWithout(required) }
        }
        guard !hasIDToken || profile.allowsIDToken else { throw .idToken }
    }

    /// The token to revoke if the response is not acceptable. Its revocation ends the whole session
    /// (protocol:R76).
    package var tokenToRevoke: (any RevocableToken)? { refreshToken ?? accessToken }
}

/// A token response that lacks a required field.
package struct InvalidTokenResponse: Error, Sendable, Hashable {
    package let field: String

    init(_ field: String) {
        self.field = field
    }
}

/// Why the tokens of a response must not be used.
package enum TokenResponseProblem: Error, Sendable, Hashable {
    /// The type is not `DPoP`, so the token is not bound to the key (RFC 9449 §5).
    case tokenType(String)
    case missingSubject
    case missingScope
    /// The scope lacks the value that the profile requires.
    case scopeWithout(String)
    case idToken
}
