internal import BskyAuthServerSupport

/// One key that seals.
struct SealingKey: Sendable {
    /// The first eight bytes of the key's SHA-256, in base64url.
    let kid: String
    private let key: ServerKey

    init?(_ stored: StoredKey) {
        guard let bytes = Base64URL.decode(stored.secret), let key = ServerKey(bytes),
            stored.kid == Self.kid(of: key)
        else { return nil }
        kid = stored.kid
        self.key = key
    }

    static func kid(of key: ServerKey) -> String {
        Base64URL.encode(Array(ServerCryptography.sha256(key.bytes).prefix(SealingRing.kidLength)))
    }

    /// The key for one purpose, so that what was sealed for one is never opened as another.
    func key(for purpose: SealingRing.Purpose) -> ServerKey {
        key.derived(for: "bskyauth-server \(purpose.rawValue)")
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
    private let keys: [String: [Purpose: ServerKey]]

    /// - Throws: if the file has no key, or one that can't be read.
    init(_ file: KeyFile) throws {
        var keys: [String: [Purpose: ServerKey]] = [:]
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
        return head + (try key.seal(plain, authenticating: head + Array(context.utf8)))
    }

    /// Opens what ``seal(_:for:context:)`` returned.
    ///
    /// - Throws: ``SealError`` for anything else, also for what a key sealed that was retired.
    func open(_ sealed: [UInt8], for purpose: Purpose, context: String = "") throws(SealError) -> [UInt8] {
        let head = Array(sealed.prefix(1 + Self.kidLength))
        guard head.count == 1 + Self.kidLength, head[0] == Self.version,
            let key = keys[Base64URL.encode(Array(head.dropFirst()))]?[purpose],
            let plain = key.open(
                Array(sealed.dropFirst(head.count)), authenticating: head + Array(context.utf8))
        else { throw SealError() }
        return plain
    }
}

/// The bytes were not sealed here, were changed, or are of a key that was retired. It does not say which, so that an
/// attacker learns nothing from it.
struct SealError: Error {}
