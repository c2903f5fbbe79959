internal import Cryptography
internal import FoundationEssentials

/// The vault key, which seals nothing itself, and the keys derived from it.
struct VaultKeys: Sendable {
    /// What names the key in everything that is sealed under it.
    let id: UUID
    let root: SecretBytes
    private let derivation: HKDF

    static let length = 32
    /// How long it is when it is wrapped.
    static let wrappedLength = AESGCM.nonceLength + length + AESGCM.tagLength

    enum Purpose: String {
        case header
        case retiring
        case profile
        case session
        case intent
        case active
        case nameLookup = "name look-up"
        case nameList = "name list"
        case handover
        case cache
    }

    init(id: UUID, root: SecretBytes) {
        self.id = id
        self.root = root
        derivation = HKDF(root)
    }

    /// A new vault key.
    static func random() throws(CryptographyError) -> VaultKeys {
        VaultKeys(id: UUID(), root: try SecretBytes(random: length))
    }

    /// The key of one purpose and, say, one account.
    func key(_ purpose: Purpose, _ context: [UInt8]) -> SecretBytes {
        let info = Array("bskyauth vault 1 \(purpose.rawValue)".utf8) + [0] + context
        return derivation.derive(info: info, count: Self.length)
    }

    /// Authenticates a message under the key of a purpose.
    func code(_ purpose: Purpose, _ context: [UInt8], message: [UInt8]) -> [UInt8] {
        HMACSHA256.authenticate(key: key(purpose, context), message: message)
    }

    /// The vault key, sealed for a slot.
    func wrap(under key: SecretBytes, authenticating data: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let nonce = try RandomBytes.generate(AESGCM.nonceLength)
        return nonce + (try AESGCM.seal(root, key: key, nonce: nonce, authenticating: data))
    }

    /// The vault key of a slot.
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
