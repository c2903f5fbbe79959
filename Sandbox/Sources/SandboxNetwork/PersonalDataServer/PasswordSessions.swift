import Foundation

/// The refresh tokens of password sessions. Access tokens have no state and are valid until they expire.
///
/// A used refresh token works for two more hours and always returns the same successor (`protocol:A5`).
actor PasswordSessions {
    /// A new pair of tokens.
    struct Grant: Sendable {
        let did: String
        let scope: Caller.PasswordScope
        /// `jti` of the refresh token.
        let identifier: String
        let issued: Date
    }

    private struct RefreshToken {
        let did: String
        let scope: Caller.PasswordScope
        /// The app password the session began with.
        let appPassword: String?
        var expires: Date
        var next: String?
    }

    private let clock: SandboxClock
    private let rules: PasswordRules
    private var tokens: [String: RefreshToken] = [:]

    init(clock: SandboxClock, rules: PasswordRules) {
        self.rules = rules
        self.clock = clock
    }

    func begin(for did: String, scope: Caller.PasswordScope, appPassword: String?) -> Grant {
        grant(did: did, scope: scope, appPassword: appPassword, identifier: RandomText.hex(bytes: 24))
    }

    /// Spends a refresh token. Returns `nil` when it is revoked or its grace period is over.
    ///
    /// `isFirst` tells the first use from a repeated one.
    func rotate(_ identifier: String) -> (grant: Grant, isFirst: Bool)? {
        guard var token = tokens[identifier], token.expires > clock.now else { return nil }
        let isFirst = token.next == nil
        let next = token.next ?? RandomText.hex(bytes: 24)
        token.expires = min(token.expires, clock.now.addingTimeInterval(rules.grace.timeInterval))
        token.next = next
        tokens[identifier] = rules.grace == .zero ? nil : token
        let granted = grant(
            did: token.did, scope: token.scope, appPassword: token.appPassword, identifier: next)
        return (granted, isFirst)
    }

    func isCurrent(_ identifier: String) -> Bool { tokens[identifier] != nil }

    /// Revokes a refresh token. Returns whether it was valid.
    func revoke(_ identifier: String) -> Bool {
        tokens.removeValue(forKey: identifier) != nil
    }

    /// Revokes the refresh tokens of an account, or those of one app password. Returns their number.
    func end(of did: String, appPassword: String? = nil) -> Int {
        let before = tokens.count
        tokens = tokens.filter { _, token in
            token.did != did || (appPassword != nil && token.appPassword != appPassword)
        }
        return before - tokens.count
    }

    private func grant(
        did: String,
        scope: Caller.PasswordScope,
        appPassword: String?,
        identifier: String
    ) -> Grant {
        if tokens[identifier] == nil {
            tokens[identifier] = RefreshToken(
                did: did, scope: scope, appPassword: appPassword,
                expires: clock.now.addingTimeInterval(rules.refreshLifetime.timeInterval))
        }
        return Grant(did: did, scope: scope, identifier: identifier, issued: clock.now)
    }
}
