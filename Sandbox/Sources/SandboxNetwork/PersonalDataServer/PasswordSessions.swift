import Foundation

/// The refresh tokens of password sessions; access tokens have no state, and live until they expire.
///
/// A used refresh token works two hours more and always leads to the same next one (`protocol:A5`).
actor PasswordSessions {
    /// Two tokens to give out.
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

    /// Spends a refresh token; `nil` when it is revoked, or its grace is over.
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

    /// Ends what one refresh token could do; answers whether there was anything to end.
    func revoke(_ identifier: String) -> Bool {
        tokens.removeValue(forKey: identifier) != nil
    }

    /// Ends an account's refresh tokens, or those one app password gave; answers how many.
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
