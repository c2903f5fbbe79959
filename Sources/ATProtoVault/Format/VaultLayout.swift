internal import ATProtoSessions
internal import FoundationEssentials

/// The files of a vault and their paths.
///
/// | file | bytes | written by |
/// |---|---|---|
/// | `vault.json`, `vault.json.copy` | JSON: ``VaultHeader`` | ``HeaderStore`` |
/// | `active` | sealed: two account UUIDs | ``ActivePointer`` |
/// | `names/CODE` | sealed: the UUIDs of the accounts of one name | ``NameIndex`` |
/// | `accounts/UUID/profile`, `session` | sealed: the content that BskyAuthCore stores | ``RecordFiles`` |
/// | `accounts/UUID/profile.copy`, `session.copy` | the bytes of the record | ``RecordFiles`` |
/// | `accounts/UUID/intent` | sealed: ``RotationIntent`` | ``IntentFiles`` |
/// | `accounts/UUID/watch` | sealed: when a claim was first seen | ``ClaimWatch`` |
/// | `accounts/UUID/handover` | sealed: only a generation | ``MirrorMark`` |
/// | `accounts/UUID/answer` | sealed: the bytes of an answer | ``ReservedRotation`` |
/// | `logins/UUID` | sealed: ``KeptLogin`` | ``KeptLogins`` |
/// | `clients/UUID`, `clients/UUID.copy` | sealed: the content that BskyAuthCore stores | ``ClientFiles`` |
/// | `locks/header.lock`, `locks/UUID.lock` | the process id of the holder | AdvisoryLock |
/// | `workshop/` | accounts and indexes that are being built or removed | ``Workshop`` |
///
/// "Sealed" means the bytes of a ``SealedFile``. Directories have mode 0700 and files 0600.
struct VaultLayout: Sendable {
    let home: String

    var header: String { home + "/vault.json" }
    /// The same bytes as the header. The copy is never an earlier header, because a key slot that was removed from the
    /// header would still open that copy.
    var headerCopy: String { header + ".copy" }
    var accounts: String { home + "/accounts" }
    var names: String { home + "/names" }
    var logins: String { home + "/logins" }
    var clients: String { home + "/clients" }
    var locks: String { home + "/locks" }
    var headerLock: String { locks + "/header.lock" }

    func account(_ id: UUID) -> String { accounts + "/" + id.text }
    func lock(of id: UUID) -> String { locks + "/" + id.text + ".lock" }

    /// The directory where accounts and the index of names are built, and where removed accounts are deleted. Code that
    /// looks for accounts or names never looks here.
    var workshop: String { home + "/workshop" }
    func unfinished(_ id: UUID) -> String { workshop + "/new-" + id.text }
    func removed(_ id: UUID) -> String { workshop + "/gone-" + id.text }
    var unfinishedNames: String { workshop + "/new-names" }
}

/// The sealed files.
extension VaultLayout {
    func active(of vault: UUID) -> SealedFile {
        SealedFile(kind: .active, owner: vault, path: home + "/active")
    }

    func record(_ kind: RecordKind, of id: UUID) -> SealedFile {
        SealedFile(kind: kind.sealed, owner: id, path: account(id) + "/" + kind.rawValue)
    }

    /// The second copy of the record's current generation. While an intent names a later generation, the token
    /// in this copy is spent. While the intent names the copy's own generation, the token may be spent.
    func copy(_ kind: RecordKind, of id: UUID) -> SealedFile {
        SealedFile(kind: kind.sealed, owner: id, path: account(id) + "/" + kind.rawValue + ".copy")
    }

    func intent(of id: UUID) -> SealedFile {
        SealedFile(kind: .intent, owner: id, path: account(id) + "/intent")
    }

    /// The mark of the session that the account's mirror has, if the account has a mirror.
    func mirrorMark(of id: UUID) -> SealedFile {
        SealedFile(kind: .mirrorMark, owner: id, path: account(id) + "/handover")
    }

    /// When this machine first saw the claim of another machine of a shared vault.
    func claimWatch(of id: UUID) -> SealedFile {
        SealedFile(kind: .claimWatch, owner: id, path: account(id) + "/watch")
    }

    /// The answer to a refresh that this program could not read, if there was one. It may hold the tokens.
    func answer(of id: UUID) -> SealedFile {
        SealedFile(kind: .answer, owner: id, path: account(id) + "/answer")
    }

    /// A finished login that waits for the lock of its account.
    func login(_ id: UUID) -> SealedFile {
        SealedFile(kind: .login, owner: id, path: logins + "/" + id.text)
    }

    /// A client of the user's own.
    func client(_ id: UUID) -> SealedFile {
        SealedFile(kind: .client, owner: id, path: clients + "/" + id.text)
    }

    /// The second copy of a client.
    func clientCopy(_ id: UUID) -> SealedFile {
        SealedFile(kind: .client, owner: id, path: clients + "/" + id.text + ".copy")
    }

    /// All sealed files that an account can have.
    func sealedFiles(of id: UUID) -> [SealedFile] {
        RecordKind.allCases.flatMap { [record($0, of: id), copy($0, of: id)] }
            + [intent(of: id), mirrorMark(of: id), answer(of: id), claimWatch(of: id)]
    }
}

extension UUID {
    /// Reads the form of ``text`` and no other form, because a directory with another name is not an account.
    init?(text: String) {
        guard let id = UUID(uuidString: text), id.text == text else { return nil }
        self = id
    }

    /// Makes a UUID of 16 bytes; nil for another number of bytes.
    init?(bytes: ArraySlice<UInt8>) {
        let b = Array(bytes)
        guard b.count == 16 else { return nil }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                b[14], b[15]
            ))
    }
}
