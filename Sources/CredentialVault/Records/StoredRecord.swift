package import Cryptography
package import FoundationEssentials

/// The two parts of an account, sealed apart: a rotation rewrites only the second.
package enum RecordKind: String, Sendable, CaseIterable {
    /// Who it is: handle, DID, label, client, dates.
    case profile
    /// What is dangerous: the tokens and the key they are bound to.
    case session
}

/// A record as it was opened.
package struct StoredRecord: Sendable {
    /// How often it was written, wherever that was; 1 when the account is logged in.
    package let generation: UInt64
    /// What was sealed.
    package let content: SecretBytes
}

/// The account that commands mean when they name none.
package struct ActiveAccount: Sendable, Hashable {
    /// The account, if there is one.
    package let current: UUID?
    /// The one before it.
    package let previous: UUID?
    /// Whether having none was chosen, by logging out of it: "the only one" does not take its place then.
    package let isExplicitlyNone: Bool

    /// What a vault answers.
    package init(current: UUID?, previous: UUID?, isExplicitlyNone: Bool) {
        self.current = current
        self.previous = previous
        self.isExplicitlyNone = isExplicitlyNone
    }
}
