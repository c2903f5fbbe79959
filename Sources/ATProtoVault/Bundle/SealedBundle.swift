package import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
package import FoundationEssentials

/// One account outside any vault: its records, sealed for a passphrase or a key file, as one line of text that fits
/// into a file or a secret store.
///
/// It is compact JSON and a newline, with these members in this order:
///
/// | member | |
/// |---|---|
/// | `format` | 1 |
/// | `bundle` | the UUID of the bundle |
/// | `account` | the UUID of the account |
/// | `key` | the UUID of the bundle's key, used like a vault key |
/// | `slot` | the key slot: ``KeySlot`` |
/// | `profile`, `session` | the bytes of a ``SealedFile`` in Base64URL |
/// | `checksum` | SHA-256 of the members above as compact JSON |
///
/// The checksum needs no key, so a damaged bundle and a wrong passphrase can be told apart. The slot is bound to the
/// ids of the bundle and the key, and the records are bound to the ids of the account and the key.
package struct SealedBundle: Sendable {
    package let bytes: [UInt8]

    private let head: Head
    private let profile: [UInt8]
    private let session: [UInt8]

    private static let format = 1

    /// The members before the records.
    private struct Head {
        let id: UUID
        let account: UUID
        let keyID: UUID
        let slot: KeySlot

        var members: JSONObject {
            [
                "format": JSONValue(SealedBundle.format), "bundle": .string(id.text),
                "account": .string(account.text),
                "key": .string(keyID.text), "slot": slot.json,
            ]
        }

        func file(_ kind: RecordKind) -> SealedFile {
            SealedFile(kind: kind.sealed, owner: account, path: kind.rawValue)
        }
    }

    /// Seals an account.
    ///
    /// - Parameter cost: the scrypt cost of a passphrase. A key file has no cost.
    package init(
        sealing account: PortableAccount, for source: KeySource, cost: Scrypt.Parameters = .standard
    ) throws(BundleError) {
        try self.init(sealing: account) { id, keys throws(VaultError) in
            try KeySlot(for: source, try source.secret(), cost, of: id, keys)
        }
    }

    /// Seals an account with a slot that the caller makes for the bundle's id and key.
    init(
        sealing account: PortableAccount, slot: (UUID, VaultKeys) throws(VaultError) -> KeySlot
    ) throws(BundleError) {
        let id = UUID()
        do {
            let keys = try VaultKeys.random()
            let slot = try slot(id, keys)
            head = Head(id: id, account: account.id, keyID: keys.id, slot: slot)
            profile = try head.file(.profile)
                .seal(account.profile, generation: account.generation, under: keys)
            session = try head.file(.session)
                .seal(account.session, generation: account.generation, under: keys)
        } catch {
            throw .vault(error)
        }
        bytes = Self.text(head, profile: profile, session: session)
    }

    /// Reads a bundle and verifies that it is undamaged.
    package init(reading bytes: [UInt8]) throws(BundleError) {
        let json: JSONValue
        do { json = try JSONParser.parse(bytes) } catch { throw .damaged(reason: "is not JSON") }
        guard let found = json["format"]?.integer, found > 0, json["bundle"] != nil else {
            throw .damaged(reason: "is not a bundle")
        }
        guard found <= Int64(Self.format) else { throw .newerFormat(found: Int(found)) }
        guard var members = json.object, let checksum = members["checksum"]?.string else {
            throw .damaged(reason: "has no checksum")
        }
        members["checksum"] = nil
        guard checksum == Self.checksum(members) else {
            throw .damaged(reason: "does not match its checksum")
        }
        guard let id = json["bundle"]?.string.flatMap(UUID.init(text:)),
            let account = json["account"]?.string.flatMap(UUID.init(text:)),
            let keyID = json["key"]?.string.flatMap(UUID.init(text:)),
            let slot = json["slot"].flatMap(KeySlot.init),
            let profile = json["profile"]?.string.flatMap({ Base64URL.decode($0) }),
            let session = json["session"]?.string.flatMap({ Base64URL.decode($0) })
        else { throw .damaged(reason: "has a missing or invalid member") }
        head = Head(id: id, account: account, keyID: keyID, slot: slot)
        self.profile = profile
        self.session = session
        self.bytes = Self.text(head, profile: profile, session: session)
        // Secret stores and shells remove the newline at the end, or add one. Nothing else may differ.
        let line = bytes.prefix(1 + (bytes.lastIndex { $0 != 0x0a && $0 != 0x0d } ?? -1))
        guard line == self.bytes.dropLast() else {
            throw .damaged(reason: "is not in the form that bskyauth writes")
        }
    }

    /// Opens the records.
    package func open(with source: KeySource) throws(BundleError) -> PortableAccount {
        guard head.slot.method.fits(source) else {
            switch source {
            case .passphrase: throw .takesKeyFile
            case .keyFile: throw .takesPassphrase
            }
        }
        let keys = try unlock(source)
        do {
            let profile = try head.file(.profile).open(profile, under: keys)
            let session = try head.file(.session).open(session, under: keys)
            return PortableAccount(
                id: head.account, profile: profile.content, session: session.content,
                generation: session.generation)
        } catch {
            switch error {
            case .damaged(let kind, let reason): throw .damaged(reason: "contains a \(kind) that \(reason)")
            case .newerFormat(_, let found): throw .newerFormat(found: found)
            default: throw .vault(error)
            }
        }
    }

    private func unlock(_ source: KeySource) throws(BundleError) -> VaultKeys {
        do {
            let secret = try source.secret()
            if let keys = try head.slot.unwrap(secret, vault: head.id, keyID: head.keyID) { return keys }
        } catch {
            if case .keyFileMissing(let path) = error { throw .keyFileMissing(path: path) }
            throw .vault(error)
        }
        switch source {
        case .passphrase: throw .wrongPassphrase
        case .keyFile(let path): throw .wrongKeyFile(path: path)
        }
    }

    private static func text(_ head: Head, profile: [UInt8], session: [UInt8]) -> [UInt8] {
        var members = head.members
        members["profile"] = .string(Base64URL.encode(profile))
        members["session"] = .string(Base64URL.encode(session))
        members["checksum"] = .string(checksum(members))
        return Array((JSONValue.object(members).text + "\n").utf8)
    }

    private static func checksum(_ members: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(JSONValue.object(members).text.utf8))
    }
}

extension SealedBundle {
    /// The size limit when reading a bundle, in bytes. Every bundle is smaller.
    package static let limit = 1 << 20

    /// Checks that a bundle can be written to a new file, before a user chooses a passphrase for it.
    package static func requireRoom(for path: String) throws(BundleError) {
        do { try AtomicFile.requireRoom(for: path) } catch { throw BundleError(writing: path, error) }
    }

    /// Writes the bundle durably to a new file with mode 0600, and reads it again. A file system without modes is
    /// accepted, because the bundle is sealed.
    ///
    /// - Returns: whether only the owner may use the file.
    /// - Throws: ``BundleError/exists(path:)`` if the file exists. It is not changed.
    @discardableResult
    package func write(to path: String) throws(BundleError) -> Bool {
        let isPrivate: Bool
        do { isPrivate = try AtomicFile.create(bytes, at: path, needsMode: false) } catch {
            throw BundleError(writing: path, error)
        }
        let found: [UInt8]
        do { found = try InputFile.read(path, limit: Self.limit) } catch { throw .vault(.io(error)) }
        guard found == bytes else { throw .damaged(reason: "differs from what bskyauth wrote") }
        return isPrivate
    }

    /// Removes the file if it has this bundle.
    package func takeBack(from path: String) throws(BundleError) {
        do {
            guard try FileSystem.exists(path), try InputFile.read(path, limit: Self.limit) == bytes else {
                return
            }
            try FileSystem.remove(path)
        } catch {
            throw .vault(.io(error))
        }
    }
}

/// The records of an account outside any vault.
package struct PortableAccount: Sendable, Equatable {
    package let id: UUID
    package let profile: SecretBytes
    package let session: SecretBytes
    /// The generation of the session. A vault that imports the account keeps it, and counts on from here. So of two
    /// bundles of an account, the one with the later session has the higher generation, even if they come from different
    /// machines.
    package let generation: UInt64

    package init(id: UUID, profile: SecretBytes, session: SecretBytes, generation: UInt64) {
        self.id = id
        self.profile = profile
        self.session = session
        self.generation = generation
    }
}

/// Why a bundle can't be made or opened. The error holds no secrets.
package enum BundleError: Error, Sendable, Hashable {
    /// The bundle is undamaged, but the passphrase is wrong.
    case wrongPassphrase
    /// The bundle is undamaged, but it was sealed for another key file.
    case wrongKeyFile(path: String)
    /// The key file does not exist.
    case keyFileMissing(path: String)
    /// The bundle was sealed for a passphrase, but a key file was given.
    case takesPassphrase
    /// The bundle was sealed for a key file, but a passphrase was given.
    case takesKeyFile
    /// The bundle is damaged.
    case damaged(reason: String)
    /// A later version of this program wrote the bundle.
    case newerFormat(found: Int)
    /// A file with this name exists already.
    case exists(path: String)
    /// An error of the key file, the disk or the cryptography.
    case vault(VaultError)
}

extension BundleError {
    /// The error of a bundle that can't be written.
    fileprivate init(writing path: String, _ error: SystemError) {
        self = error.isExisting ? .exists(path: path) : .vault(.io(error))
    }
}
