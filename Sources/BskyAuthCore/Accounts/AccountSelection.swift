package import FoundationEssentials

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
    /// The file that chose it; nil where none did.
    package let file: String?

    package init(account: AccountProfile, source: Source, file: String? = nil) {
        self.account = account
        self.source = source
        self.file = file
    }
}

/// A file that chooses the account for its directory and every directory below it.
///
/// It holds a UUID and not a name, because another account may take the name later.
package struct AccountPin: Sendable, Hashable {
    package let account: UUID
    package let file: String

    package init(account: UUID, file: String) {
        self.account = account
        self.file = file
    }
}

/// What the user said about the account, before it is looked up.
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
