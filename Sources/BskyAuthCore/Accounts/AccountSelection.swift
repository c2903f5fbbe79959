package import ATProtoSessions
package import FoundationEssentials

/// The account of a command, and the rule that selected it.
package struct AccountSelection: Sendable {
    /// The rules, in order of precedence.
    package enum Source: String, Sendable {
        case flag
        case environment = "env"
        case pin
        case active
        case only
    }

    package let account: Account
    package let source: Source
    /// The pin file that selected the account; nil for the other rules.
    package let file: String?

    package init(account: Account, source: Source, file: String? = nil) {
        self.account = account
        self.source = source
        self.file = file
    }
}

/// A file that selects the account for its directory and every directory below it.
///
/// The file holds a UUID, not a name, because a name may later belong to another account.
package struct AccountPin: Sendable, Hashable {
    package let account: UUID
    package let file: String

    package init(account: UUID, file: String) {
        self.account = account
        self.file = file
    }
}

/// The user's settings that select the account, before the look-up.
package struct AccountChoice: Sendable {
    /// `-a`.
    package let flag: String?
    /// `BSKYAUTH_ACCOUNT`.
    package let environment: String?
    /// The nearest `.bskyauth-account`.
    package let pin: AccountPin?

    package init(flag: String?, environment: String?, pin: AccountPin?) {
        self.flag = flag
        self.environment = environment
        self.pin = pin
    }
}
