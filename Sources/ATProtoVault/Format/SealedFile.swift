package import ATPCryptography
internal import ATProtoSessions
internal import FoundationEssentials

/// One sealed file: its kind, its owner and its path. Bytes that were sealed as one file don't open as another.
///
/// | bytes | |
/// |---|---|
/// | 8 | `BSKYAUTH` |
/// | 2 | the format: 1 |
/// | 1 | the ``Kind`` |
/// | 16 | the id of the vault key |
/// | 16 | the owner: the UUID of the account or the vault |
/// | 8 | the generation: how often the file was written |
/// | 12 | the nonce |
/// | the rest | AES-256-GCM: ciphertext, then the tag of 16 bytes |
///
/// Numbers are big-endian. Everything before the ciphertext is authenticated with it. The AES key is derived
/// from the vault key for the kind, the owner and ``context`` (``VaultKeys``).
struct SealedFile: Sendable {
    enum Kind: UInt8 {
        case profile = 1
        case session
        case intent
        case active
        case nameList
        case mirrorMark
        case answer
        case login
        case client
        case shared
        case claimWatch
        case machine
        case storePassword
        case programSecret
        case sharedLogin
    }

    let kind: Kind
    /// The account, or the vault if the file belongs to no account.
    let owner: UUID
    /// The path of the file. For a sealed record in a bundle, this is the kind, for error messages.
    let path: String
    /// Further input to the derivation of the key, besides the owner.
    var context: [UInt8] = []

    var name: String { VaultFiles.name(of: path) }

    private static let magic = Array("BSKYAUTH".utf8)
    private static let format = 1
    private static let headLength = 8 + 2 + 1 + 16 + 16 + 8

    /// The number of bytes that sealing adds to the content.
    static let overhead = headLength + AESGCM.nonceLength + AESGCM.tagLength

    func seal(
        _ content: SecretBytes, generation: UInt64, under keys: VaultKeys
    ) throws(VaultError) -> [UInt8] {
        let key = key(keys)
        do {
            let nonce = try RandomBytes.generate(AESGCM.nonceLength)
            let head = head(generation: generation, keys) + nonce
            return head + (try AESGCM.seal(content, key: key, nonce: nonce, authenticating: head))
        } catch {
            throw .cryptography(error)
        }
    }

    func open(_ bytes: [UInt8], under keys: VaultKeys) throws(VaultError) -> StoredRecord {
        guard bytes.count >= Self.overhead else { throw damaged("is too short") }
        guard Array(bytes[0..<8]) == Self.magic else { throw damaged("was not written by bskyauth") }
        let found = Int(bytes[8]) << 8 | Int(bytes[9])
        guard found <= Self.format else { throw .newerFormat(file: path, found: found) }
        guard bytes[10] == kind.rawValue else { throw damaged("is a different kind of file") }
        guard Array(bytes[11..<27]) == keys.id.bytes else { throw damaged("is encrypted under another key") }
        guard Array(bytes[27..<43]) == owner.bytes else { throw damaged("belongs to another account") }
        let end = Self.headLength + AESGCM.nonceLength
        let head = Array(bytes[..<end])
        let key = key(keys)
        do {
            let content = try AESGCM.open(
                Array(bytes[end...]), key: key, nonce: Array(bytes[Self.headLength..<end]),
                authenticating: head)
            return StoredRecord(generation: Self.generation(of: bytes), content: content)
        } catch {
            guard error == .authenticationFailed else { throw .cryptography(error) }
            throw damaged("does not match its authentication tag")
        }
    }

    /// The key id in the bytes; nil if the bytes are too short. The id is not verified.
    static func keyID(of bytes: [UInt8]) -> UUID? {
        bytes.count < overhead ? nil : UUID(bytes: bytes[11..<27])
    }

    /// The generation in the bytes; 0 if the bytes are too short. Only opening the bytes verifies the generation.
    static func generation(of bytes: [UInt8]) -> UInt64 {
        bytes.count < overhead ? 0 : bytes[43..<51].reduce(0) { $0 << 8 | UInt64($1) }
    }

    func damaged(_ reason: String) -> VaultError { .damaged(file: path, reason: reason) }

    private func head(generation: UInt64, _ keys: VaultKeys) -> [UInt8] {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: generation >> UInt64(56 - 8 * $0)) }
        return Self.magic + [UInt8(Self.format >> 8), UInt8(Self.format & 0xff), kind.rawValue]
            + keys.id.bytes + owner.bytes + number
    }

    private func key(_ keys: VaultKeys) -> SecretBytes {
        let purpose: VaultKeys.Purpose =
            switch kind {
            case .profile: .profile
            case .session: .session
            case .intent: .intent
            case .active: .active
            case .nameList: .nameList
            case .mirrorMark: .mirrorMark
            case .answer: .answer
            case .login: .login
            case .client: .client
            case .shared: .shared
            case .claimWatch: .claimWatch
            case .machine: .machine
            case .storePassword: .storePassword
            case .programSecret: .programSecret
            case .sharedLogin: .sharedLogin
            }
        return keys.key(purpose, owner.bytes + context)
    }
}

/// The two parts of an account. Each is a separate file, so a rotation rewrites only the session.
package enum RecordKind: String, Sendable, CaseIterable {
    /// Handle, DID, label, client, dates.
    case profile
    /// The tokens and the key that they are bound to.
    case session
}

/// The content of a sealed file.
package struct StoredRecord: Sendable {
    /// How often the record was written, on all machines. The first login writes generation 1.
    package let generation: UInt64
    package let content: SecretBytes
}

extension RecordKind {
    var sealed: SealedFile.Kind {
        switch self {
        case .profile: .profile
        case .session: .session
        }
    }
}
