package import ATPCryptography
package import FoundationEssentials

/// A finished login that waits for the lock of its account.
package struct KeptLogin: Sendable {
    /// The UUID that the account gets if the login adds one.
    package let id: UUID
    package let profile: SecretBytes
    package let session: SecretBytes

    package init(id: UUID, profile: SecretBytes, session: SecretBytes) {
        self.id = id
        self.profile = profile
        self.session = session
    }
}

/// `logins/UUID`: the sealed files of finished logins that wait for the lock of their account.
///
/// The tokens of such a login exist nowhere else. A login that is killed during its wait leaves its file. The next
/// login of the account and `vault restore` read it.
///
/// The content is the length of the profile in four bytes, big-endian, then the profile, then the session. The generation
/// is the time of the login in milliseconds since 1970. Every change of the directory needs the header's lock.
struct KeptLogins: Sendable {
    let layout: VaultLayout
    let files: SealedFileStore

    func write(_ login: KeptLogin, at date: Date) throws(VaultError) {
        try VaultFiles.createDirectory(layout.logins)
        try VaultFiles.removeLeftovers(in: layout.logins)
        let length = UInt32(login.profile.count)
        let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * $0)) }
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

    private static func login(_ id: UUID, _ record: StoredRecord) -> KeptLogin? {
        let content = record.content.bytes
        guard content.count >= 4 else { return nil }
        let end = 4 + content[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard end <= content.count else { return nil }
        return KeptLogin(
            id: id, profile: SecretBytes(clearing: Array(content[4..<end])),
            session: SecretBytes(clearing: Array(content[end...])))
    }

    /// Removes the damaged files. Nobody can read them any more.
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
