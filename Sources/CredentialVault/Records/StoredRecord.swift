package import Cryptography

/// The two parts of an account, in files of their own: a rotation rewrites only the session.
package enum RecordKind: String, Sendable, CaseIterable {
    /// Handle, DID, label, client, dates.
    case profile
    /// The tokens and the key that they are bound to.
    case session
}

/// The content of a sealed file.
package struct StoredRecord: Sendable {
    /// How often it was written, on all machines. It is 1 after the login.
    package let generation: UInt64
    package let content: SecretBytes
}
