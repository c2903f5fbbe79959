internal import HTTPTypes

extension HTTPField.Name {
    static let forwardedFor = Self.known("X-Forwarded-For")
    /// Names the account of a call, by the `account` of `GET /api/accounts`.
    static let account = Self.known("Bskyauth-Account")
    /// Who passes, for a protected site.
    static let authDID = Self.known("X-Auth-Did")
    static let authHandle = Self.known("X-Auth-Handle")
    static let fetchDestination = Self.known("Sec-Fetch-Dest")
    static let fetchSite = Self.known("Sec-Fetch-Site")
    static let referrerPolicy = Self.known("Referrer-Policy")
    static let dpop = Self.known("DPoP")
    static let dpopNonce = Self.known("DPoP-Nonce")
    static let openerPolicy = Self.known("Cross-Origin-Opener-Policy")
    static let resourcePolicy = Self.known("Cross-Origin-Resource-Policy")

    /// The names above are tokens, so the other one is never taken.
    private static func known(_ name: String) -> Self { Self(name) ?? .cookie }
}
