package import Cryptography
internal import FoundationEssentials
internal import JSON

/// An account outside of every vault: its records, sealed for a passphrase or a key file of their own, as one
/// line of text that files and secret stores can hold.
///
/// The checksum needs no key, so that a damaged bundle and a wrong passphrase are told apart. What stands before
/// the records is bound to them: the slot opens under the names of its bundle and key alone, and the records
/// under the names of their account and key.
package struct SealedBundle: Sendable {
    /// What is stored.
    package let bytes: [UInt8]

    private let head: Head
    private let profile: [UInt8]
    private let session: [UInt8]

    private static let format = 1

    /// Which bundle it is, whose, and how it is opened.
    private struct Head {
        let id: UUID
        let account: UUID
        let keyID: UUID
        let slot: KeySlot

        var members: JSONObject {
            [
                "format": JSONValue(SealedBundle.format), "bundle": .string(VaultLayout.name(of: id)),
                "account": .string(VaultLayout.name(of: account)),
                "key": .string(VaultLayout.name(of: keyID)), "slot": slot.json,
            ]
        }

        func item(_ kind: RecordKind) -> SealedItem {
            SealedItem(kind: kind.sealed, owner: account, file: kind.rawValue)
        }
    }

    /// Seals an account.
    ///
    /// - Parameter cost: of a passphrase; a key file has none.
    package init(
        sealing account: PortableAccount, for source: KeySource, cost: Scrypt.Parameters = .standard
    ) throws(BundleError) {
        try self.init(sealing: account) { id, keys throws(VaultError) in
            let secret = try source.secret()
            do throws(CryptographyError) {
                return try KeySlot(for: source, secret, cost, of: id, keys)
            } catch {
                throw .cryptography(error)
            }
        }
    }

    /// Seals an account for who can open the slot that is made for the bundle's own key.
    init(
        sealing account: PortableAccount, slot: (UUID, VaultKeys) throws(VaultError) -> KeySlot
    ) throws(BundleError) {
        let id = UUID()
        do throws(VaultError) {
            let keys: VaultKeys
            do { keys = try VaultKeys.random() } catch { throw .cryptography(error) }
            let slot = try slot(id, keys)
            head = Head(id: id, account: account.id, keyID: keys.id, slot: slot)
            profile = try head.item(.profile)
                .seal(account.profile, generation: account.generation, under: keys)
            session = try head.item(.session)
                .seal(account.session, generation: account.generation, under: keys)
        } catch {
            throw .vault(error)
        }
        bytes = Self.text(head, profile: profile, session: session)
    }

    /// Reads a bundle, and makes sure that it is whole.
    package init(reading bytes: [UInt8]) throws(BundleError) {
        let json: JSONValue
        do { json = try JSONParser.parse(bytes) } catch { throw .damaged(reason: "is not JSON") }
        guard let found = json["format"]?.integer, found > 0, json["bundle"] != nil else {
            throw .damaged(reason: "is no bundle")
        }
        guard found <= Int64(Self.format) else { throw .newerFormat(found: Int(found)) }
        guard var members = json.object, let checksum = members["checksum"]?.string else {
            throw .damaged(reason: "has no checksum")
        }
        members["checksum"] = nil
        guard checksum == Self.checksum(members) else {
            throw .damaged(reason: "does not match its checksum")
        }
        guard let id = json["bundle"]?.string.flatMap(VaultLayout.id(named:)),
            let account = json["account"]?.string.flatMap(VaultLayout.id(named:)),
            let keyID = json["key"]?.string.flatMap(VaultLayout.id(named:)),
            let slot = json["slot"].flatMap(KeySlot.init),
            let profile = json["profile"]?.string.flatMap({ Base64URL.decode($0) }),
            let session = json["session"]?.string.flatMap({ Base64URL.decode($0) })
        else { throw .damaged(reason: "lacks something") }
        head = Head(id: id, account: account, keyID: keyID, slot: slot)
        self.profile = profile
        self.session = session
        self.bytes = Self.text(head, profile: profile, session: session)
        // Secret stores and shells take the end of the line off, or add one; nothing else may differ.
        let line = bytes.prefix(1 + (bytes.lastIndex { $0 != 0x0a && $0 != 0x0d } ?? -1))
        guard line == self.bytes.dropLast() else {
            throw .damaged(reason: "is not as it was written")
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
        do throws(VaultError) {
            let profile = try head.item(.profile).open(profile, under: keys)
            let session = try head.item(.session).open(session, under: keys)
            return PortableAccount(
                id: head.account, profile: profile.content, session: session.content,
                generation: session.generation)
        } catch {
            switch error {
            case .damaged(let kind, let reason): throw .damaged(reason: "holds a \(kind) that \(reason)")
            case .newerFormat(_, let found): throw .newerFormat(found: found)
            default: throw .vault(error)
            }
        }
    }

    private func unlock(_ source: KeySource) throws(BundleError) -> VaultKeys {
        let secret: SecretBytes
        do { secret = try source.secret() } catch {
            if case .keyFileMissing(let path) = error { throw .keyFileMissing(path: path) }
            throw .vault(error)
        }
        do {
            return try head.slot.unwrap(secret, vault: head.id, keyID: head.keyID)
        } catch {
            guard error == .authenticationFailed else { throw .vault(.cryptography(error)) }
            switch source {
            case .passphrase: throw .wrongPassphrase
            case .keyFile(let path): throw .wrongKeyFile(path: path)
            }
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
