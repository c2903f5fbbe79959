internal import ATPCryptography
internal import ATProtoSessions
internal import FoundationEssentials

/// The vault key, and the keys derived from it. Only derived keys seal files, so the key of one purpose
/// never opens a file of another purpose.
///
/// A derived key is HKDF-SHA-256 (RFC 5869) of the vault key with an empty salt, 32 bytes long. Its `info` is
/// `bskyauth vault 1 PURPOSE`, a zero byte and a context, such as the bytes of the owner's UUID.
struct VaultKeys: Sendable {
    /// The id in the head of every file that is sealed under this key.
    let id: UUID
    let root: SecretBytes
    private let derivation: HKDF

    static let length = 32
    /// The bytes of a wrapped key: the nonce, the ciphertext and the tag of AES-256-GCM.
    static let wrappedLength = AESGCM.nonceLength + length + AESGCM.tagLength

    enum Purpose: String {
        case header
        case previousKey = "retiring"
        case profile
        case session
        case intent
        case active
        case nameLookup = "name look-up"
        case nameList = "name list"
        case mirrorMark = "handover"
        case answer
        case login
        case client
        case shared = "shared record"
        case claimWatch = "claim watch"
        case machine
        case storePassword = "store password"
        case programSecret = "program secret"
        case sharedLogin = "shared login"
        case cache
    }

    init(id: UUID, root: SecretBytes) {
        self.id = id
        self.root = root
        derivation = HKDF(root)
    }

    /// A new vault key.
    static func random() throws(VaultError) -> VaultKeys {
        do {
            return VaultKeys(id: UUID(), root: try SecretBytes(random: length))
        } catch {
            throw .cryptography(error)
        }
    }

    /// The key's id and the key, for another process of this program.
    var handedOver: SecretBytes {
        var bytes: [UInt8] = []
        // With this capacity the array never moves, so no copy of the key stays in freed memory.
        bytes.reserveCapacity(16 + Self.length)
        bytes += id.bytes
        var root = root.bytes
        bytes += root
        SecretBytes.clear(&root)
        return SecretBytes(clearing: bytes)
    }

    /// Reads ``handedOver``; nil if the bytes are no key.
    init?(handedOver: SecretBytes) {
        var bytes = handedOver.bytes
        defer { SecretBytes.clear(&bytes) }
        guard bytes.count == 16 + Self.length, let id = UUID(bytes: bytes[..<16]) else { return nil }
        self.init(id: id, root: SecretBytes(bytes[16...]))
    }

    /// The key of one purpose and one context.
    func key(_ purpose: Purpose, _ context: [UInt8]) -> SecretBytes {
        let info = Array("bskyauth vault 1 \(purpose.rawValue)".utf8) + [0] + context
        return derivation.derive(info: info, count: Self.length)
    }

    /// Authenticates a message under the key of a purpose.
    func code(_ purpose: Purpose, _ context: [UInt8], message: [UInt8]) -> [UInt8] {
        HMACSHA256.authenticate(key: key(purpose, context), message: message)
    }

    /// The vault key, sealed under another key.
    func wrap(under key: SecretBytes, authenticating data: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let nonce = try RandomBytes.generate(AESGCM.nonceLength)
        return nonce + (try AESGCM.seal(root, key: key, nonce: nonce, authenticating: data))
    }

    /// The vault key that ``wrap(under:authenticating:)`` sealed.
    static func unwrap(
        _ wrapped: [UInt8], id: UUID, under key: SecretBytes, authenticating data: [UInt8]
    ) throws(CryptographyError) -> VaultKeys {
        let root = try AESGCM.open(
            Array(wrapped.dropFirst(AESGCM.nonceLength)), key: key,
            nonce: Array(wrapped.prefix(AESGCM.nonceLength)), authenticating: data)
        guard root.count == length else { throw .authenticationFailed }
        return VaultKeys(id: id, root: root)
    }
}
