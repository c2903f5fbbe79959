import Foundation

/// One OAuth session: a grant of one account to one client with one key.
struct Session: Sendable {
    var identifier: String
    let account: Account
    let clientID: String
    let jkt: String
    let scope: ScopeSet
    let created: Date
    var accessTokenID: String
    var accessTokenExpires: Date
    var refreshToken: String

    /// Sessions of public clients end two weeks after login, also if they were refreshed (`protocol:R72`).
    static let lifetime: TimeInterval = 14 * 86_400

    var ends: Date { created.addingTimeInterval(Self.lifetime) }
}
