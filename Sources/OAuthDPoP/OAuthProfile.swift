/// What a profile of OAuth asks for beyond the RFCs.
///
/// Every server must offer what this module uses: the code flow with S256, pushed requests, and proofs signed with
/// ES256. A resource must name exactly one authorization server.
package struct OAuthProfile: Sendable {
    /// Values that fields of the server's metadata must contain.
    let requiredValues: [(field: String, values: [String])]
    /// Fields of the server's metadata that must be true.
    let requiredFlags: [String]
    /// Fields of the server's metadata that must not be false.
    let refusedWhenFalse: [String]
    /// Whether an issuer is an origin. Otherwise it may have a path (RFC 8414 §3).
    let hasOriginsAsIssuers: Bool
    /// The value that the scope of every session contains. Nil if a token response needs no scope (RFC 6749 §5.1).
    let requiredScope: String?
    /// Whether a token response must name the account, as `sub`.
    let requiresSubject: Bool
    /// Whether a token response may have an OpenID Connect token.
    let allowsIDToken: Bool

    package init(
        requiredValues: [(field: String, values: [String])], requiredFlags: [String],
        refusedWhenFalse: [String],
        hasOriginsAsIssuers: Bool, requiredScope: String?, requiresSubject: Bool, allowsIDToken: Bool
    ) {
        self.requiredValues = requiredValues
        self.requiredFlags = requiredFlags
        self.refusedWhenFalse = refusedWhenFalse
        self.hasOriginsAsIssuers = hasOriginsAsIssuers
        self.requiredScope = requiredScope
        self.requiresSubject = requiresSubject
        self.allowsIDToken = allowsIDToken
    }

    /// The RFCs alone.
    ///
    /// A client of several servers whose redirects lack `iss` needs another redirect URI for each (RFC 9700 §4.4.2).
    package static let plain = OAuthProfile(
        requiredValues: [], requiredFlags: [], refusedWhenFalse: [], hasOriginsAsIssuers: false,
        requiredScope: nil,
        requiresSubject: false, allowsIDToken: true)
}
