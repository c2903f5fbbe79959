import Foundation

/// One OAuth session: a grant of one account to one client with one key.
struct Session: Sendable {
    var identifier: String
    let account: Account
    let clientID: String
    let jkt: String
    let scope: ScopeSet
    let created: Date
    /// When the refresh token was issued.
    var refreshed: Date
    /// How the client authenticated at the login.
    var authentication: ClientAuthentication
    var accessTokenID: String
    var accessTokenExpires: Date
    var refreshToken: String
}
