package import ATPCryptography
internal import ATProtoSessions
package import BskyAuthRows
package import FoundationEssentials

/// A finished login that waits for the lock of its account, or for the answer of a store.
package struct KeptLogin: Sendable {
    /// The name of its file. An account that the login adds has this UUID, if no machine has given it away.
    package let id: UUID
    package let profile: SecretBytes
    package let session: SecretBytes
    /// The write to the store of a shared vault that may have been made; nil if none was begun.
    package let write: LoginWrite?

    package init(id: UUID, profile: SecretBytes, session: SecretBytes, write: LoginWrite? = nil) {
        self.id = id
        self.profile = profile
        self.session = session
        self.write = write
    }
}

/// A write of a login into an account's record in the store of a shared vault.
package struct LoginWrite: Sendable, Hashable {
    package let account: UUID
    /// The revision that the record must still have; nil if there must be no record.
    package let revision: Revision?

    package init(account: UUID, revision: Revision?) {
        self.account = account
        self.revision = revision
    }
}

/// `logins/UUID`: the sealed files of finished logins that wait for the lock of their account.
///
/// The tokens of such a login exist nowhere else. A login that is killed during its wait leaves its file. The next
/// login of the account and `vault restore` read it.
///
/// The content is the length of the profile in four bytes, big-endian, then the profile, then the session. If the login may be in the
/// store of a shared vault, four bytes 255 come before that, then the UUID of the account whose record was written, and the revision
/// that the write expected in eight bytes, or zeros if it expected no record. The generation is the time of the login in
/// milliseconds since 1970. Every change of the directory needs the header's lock.
struct KeptLogins: Sendable {
    let layout: VaultLayout
    let files: SealedFileStore

    func write(_ login: KeptLogin, at date: Date) throws(VaultError) {
        try VaultFiles.createDirectory(layout.logins)
        try VaultFiles.removeLeftovers(in: layout.logins)
        let head =
            Self.condition(of: login.write) + Self.bigEndian(UInt64(login.profile.count)).suffix(4)
        let content = SecretBytes(clearing: head + login.profile.bytes + login.session.bytes)
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        try files.write(content, generation: milliseconds, to: layout.login(login.id))
    }

    /// The files, whether they open or not, sorted.
    func allFiles() throws(VaultError) -> [SealedFile] {
        try VaultFiles.verifyDirectory(layout.logins)
        return try VaultFiles.names(in: layout.logins).compactMap(UUID.init(text:)).sorted().map(layout.login)
    }

    /// The logins whose files open, the latest first.
    func all() throws(VaultError) -> [KeptLogin] {
        var found: [(login: KeptLogin, time: UInt64)] = []
        for file in try allFiles() {
            do {
                guard let record = try files.read(file)?.record, let login = Self.login(file.owner, record)
                else { continue }
                found.append((login, record.generation))
            } catch {
                guard case .damaged = error else { throw error }
            }
        }
        return found.sorted { $0.time > $1.time }.map(\.login)
    }

    private static func condition(of write: LoginWrite?) -> [UInt8] {
        guard let write else { return [] }
        return marker + write.account.bytes + bigEndian(UInt64(write.revision?.number ?? 0))
    }

    private static let marker: [UInt8] = [255, 255, 255, 255]

    private static func login(_ id: UUID, _ record: StoredRecord) -> KeptLogin? {
        var content = record.content.bytes[...]
        var write: LoginWrite?
        if content.starts(with: marker) {
            guard content.count >= 28, let account = UUID(bytes: content[4..<20]) else { return nil }
            let revision = number(content[20..<28])
            write = LoginWrite(account: account, revision: revision == 0 ? nil : Revision(Int64(revision)))
            content = content[28...]
        }
        guard content.count >= 4 else { return nil }
        let (start, length) = (content.startIndex + 4, number(content.prefix(4)))
        guard length <= content.endIndex - start else { return nil }
        let end = start + length
        return KeptLogin(
            id: id, profile: SecretBytes(clearing: Array(content[start..<end])),
            session: SecretBytes(clearing: Array(content[end...])), write: write)
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// Removes the damaged files, which no key opens any more.
    func discardDamaged() throws(VaultError) -> [Restoration] {
        var done: [Restoration] = []
        for file in try allFiles() {
            do { _ = try files.read(file) } catch {
                guard case .damaged = error else { throw error }
                try VaultFiles.remove(file.path)
                done.append(Restoration(account: nil, file: file.path, outcome: .discarded))
            }
        }
        return done
    }

    /// Seals the files under the current vault key. Damaged files stay, because they are of no use under any key.
    func reseal() throws(VaultError) {
        try VaultFiles.removeLeftovers(in: layout.logins)
        for file in try allFiles() {
            do { try files.reseal(file) } catch {
                guard case .damaged = error else { throw error }
            }
        }
    }
}
