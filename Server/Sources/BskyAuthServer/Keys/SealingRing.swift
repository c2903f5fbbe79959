internal import Crypto
internal import FoundationEssentials

/// One key that seals.
struct SealingKey: Sendable {
    /// The first eight bytes of the key's SHA-256, in base64url.
    let kid: String
    private let key: SymmetricKey

    init?(_ stored: StoredKey) {
        guard let bytes = Base64URL.decode(stored.secret), bytes.count == 32,
            stored.kid == Self.kid(of: bytes)
        else { return nil }
        kid = stored.kid
        key = SymmetricKey(data: bytes)
    }

    static func kid(of bytes: [UInt8]) -> String {
        Base64URL.encode(SHA256.hash(data: bytes).prefix(SealingRing.kidLength))
    }

    /// The key for one purpose, so that what was sealed for one is never opened as another.
    func key(for purpose: SealingRing.Purpose) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("bskyauth-server \(purpose.rawValue)".utf8), outputByteCount: 32
        )
    }
}

/// Seals with the newest key and opens with every key of its file (AES-256-GCM).
struct SealingRing: Sendable {
    enum Purpose: String, CaseIterable {
        /// A session that an app or a browser holds.
        case session
        /// The secrets of a row.
        case row
    }

    /// The format: version, kid, nonce, ciphertext, tag.
    private static let version: UInt8 = 1
    static let kidLength = 8

    private let newest: String
    private let keys: [String: [Purpose: SymmetricKey]]

    /// - Throws: if the file has no key, or one that can't be read.
    init(_ file: KeyFile) throws {
        var keys: [String: [Purpose: SymmetricKey]] = [:]
        for stored in file.keys {
            guard let key = SealingKey(stored) else {
                throw KeyFileError(
                    path: file.path, problem: "has a damaged key \(stored.kid). Restore it from a backup")
            }
            keys[key.kid] = Dictionary(uniqueKeysWithValues: Purpose.allCases.map { ($0, key.key(for: $0)) })
        }
        guard let newest = file.keys.last?.kid else {
            throw KeyFileError(path: file.path, problem: "has no key. Run `bskyauth-server keys add sealing`")
        }
        self.newest = newest
        self.keys = keys
    }

    /// Seals bytes.
    ///
    /// - Parameter context: what must be the same when they are opened.
    func seal(_ plain: [UInt8], for purpose: Purpose, context: String = "") throws -> [UInt8] {
        guard let key = keys[newest]?[purpose], let kid = Base64URL.decode(newest) else { throw SealError() }
        let head = [Self.version] + kid
        let box = try AES.GCM.seal(plain, using: key, authenticating: head + Array(context.utf8))
        guard let sealed = box.combined else { throw SealError() }
        return head + Array(sealed)
    }

    /// Opens what ``seal(_:for:context:)`` returned.
    ///
    /// - Throws: ``SealError`` for anything else, also for what a key sealed that was retired.
    func open(_ sealed: [UInt8], for purpose: Purpose, context: String = "") throws(SealError) -> [UInt8] {
        let head = Array(sealed.prefix(1 + Self.kidLength))
        guard head.count == 1 + Self.kidLength, head[0] == Self.version,
            let key = keys[Base64URL.encode(head.dropFirst())]?[purpose],
            let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(head.count)),
            let plain = try? AES.GCM.open(box, using: key, authenticating: head + Array(context.utf8))
        else { throw SealError() }
        return Array(plain)
    }
}

/// The bytes were not sealed here, were changed, or are of a key that was retired. It does not say which, so that nobody
/// learns from it.
struct SealError: Error {}
