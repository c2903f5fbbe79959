internal import ATPCryptography
package import ATProtoSessions
internal import FoundationEssentials

/// The contents of the two records of an account.
struct AccountRecords: Sendable {
    var profile: SecretBytes
    var session: SecretBytes

    init(profile: SecretBytes, session: SecretBytes) {
        self.profile = profile
        self.session = session
    }

    init(_ account: Account, _ session: Session) {
        self.init(profile: account.record, session: session.record)
    }

    func present(_ id: UUID) -> PresentAccount {
        PresentAccount(id: id, profile: .success(profile), session: .success(session))
    }
}

/// An account before a change. A record that can't be read is in the way only of a change that asks for it.
package struct PresentAccount: Sendable {
    let id: UUID
    private let profile: Result<SecretBytes, VaultError>
    private let content: Result<SecretBytes, VaultError>

    init(id: UUID, profile: Result<SecretBytes, VaultError>, session: Result<SecretBytes, VaultError>) {
        self.id = id
        self.profile = profile
        content = session
    }

    package func account() throws(VaultError) -> Account {
        try Account(try profile.get(), of: id)
    }

    package func session() throws(VaultError) -> Session {
        try Session(try content.get(), of: id)
    }
}

/// What a change writes. What is nil stays as it is.
package struct AccountChange: Sendable {
    package var account: Account?
    package var session: Session?

    package init(account: Account? = nil, session: Session? = nil) {
        self.account = account
        self.session = session
    }

    /// Changes records; an account or a session that stays keeps its bytes.
    func apply(to records: AccountRecords) -> AccountRecords {
        AccountRecords(
            profile: account?.record ?? records.profile, session: session?.record ?? records.session)
    }
}

extension Account {
    /// Decodes the record of an account.
    init(_ record: SecretBytes, of id: UUID) throws(VaultError) {
        do throws(UnreadableRecord) { self = try Account(record: record) } catch {
            throw .unreadableRecord(id, error)
        }
    }
}

extension Session {
    /// Decodes the record of an account's session.
    init(_ record: SecretBytes, of id: UUID) throws(VaultError) {
        do throws(UnreadableRecord) { self = try Session(record: record) } catch {
            throw .unreadableRecord(id, error)
        }
    }
}
