package import JSON
internal import Networking

/// The tokens that a server hands out (RFC 6749 §5.1, RFC 9449 §5).
///
/// Reading is lenient and judging comes later: a refresh has spent its token by now, so what came back has to
/// be kept even where it can't be used (decisions: rotation).
package struct TokenResponse: Sendable {
    package let accessToken: AccessToken
    package let refreshToken: RefreshToken?
    package let tokenType: String
    /// What was granted; nil where the server does not say.
    package let scope: Scope?
    /// Whose account it is, a DID that has not been looked at.
    package let subject: String?
    /// Seconds the access token lives; nil where the server does not say.
    package let expiresIn: Int64?
    /// Whether there is an OpenID Connect token, which has no place here (protocol:R43).
    package let hasIDToken: Bool

    /// Reads a response; unknown and unusable fields that are not needed are passed over.
    ///
    /// - Throws: ``InvalidTokenResponse`` where there is no token to speak of.
    package init(json: JSONValue) throws(InvalidTokenResponse) {
        func text(_ name: String) -> String? {
            json[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let accessToken = text("access_token") else { throw InvalidTokenResponse("access_token") }
        self.accessToken = AccessToken(accessToken)
        // Judged by validate(): new tokens are stored before anything is made of them.
        tokenType = text("token_type") ?? ""
        refreshToken = text("refresh_token").map(RefreshToken.init)
        scope = text("scope").map(Scope.init)
        subject = text("sub")
        expiresIn = json["expires_in"]?.integer.flatMap { $0 < 0 ? nil : $0 }
        hasIDToken = json["id_token"].map { !$0.isNull } ?? false
    }

    /// Refuses what atproto OAuth does not allow (protocol:R43).
    package func validate() throws(TokenResponseProblem) {
        guard tokenType.lowercased() == "dpop" else {
            throw .tokenType(UntrustedText.harmless(tokenType, limit: 40))
        }
        guard subject != nil else { throw .missingSubject }
        guard let scope else { throw .missingScope }
        guard scope.contains(Scope.atproto) else { throw .scopeWithoutATProto }
        guard !hasIDToken else { throw .idToken }
    }

    /// What to give back where the tokens can't be used: the one that ends the whole session (protocol:R76).
    package var tokenToRevoke: (any RevocableToken)? { refreshToken ?? accessToken }
}

/// A token response without a field that every one has.
package struct InvalidTokenResponse: Error, Sendable, Hashable {
    package let field: String

    init(_ field: String) {
        self.field = field
    }
}

/// Why tokens must not be used.
package enum TokenResponseProblem: Error, Sendable, Hashable {
    /// Not bound to the key: anything but `DPoP` (RFC 9449 §5).
    case tokenType(String)
    case missingSubject
    case missingScope
    case scopeWithoutATProto
    case idToken
}
