/// Which account a command is about, and which rule said so.
package struct AccountSelection: Sendable {
    /// The rules, first wins.
    package enum Source: String, Sendable {
        case flag
        case environment = "env"
        case pin
        case active
        case only
    }

    package let account: AccountProfile
    package let source: Source

    package init(account: AccountProfile, source: Source) {
        self.account = account
        self.source = source
    }
}

/// What the user said about the account, before it is looked up.
package struct AccountChoice: Sendable {
    /// `-a`.
    package let flag: String?
    /// `BSKYAUTH_ACCOUNT`.
    package let environment: String?

    package init(flag: String?, environment: String?) {
        self.flag = flag
        self.environment = environment
    }
}
