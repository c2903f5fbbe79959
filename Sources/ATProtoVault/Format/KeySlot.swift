internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import FoundationEssentials

/// A key slot: the vault key, wrapped for one passphrase or one key file. An entry of `slots` in `vault.json`, and
/// the `slot` of a bundle.
///
/// In JSON: `kind`, the members of the kind, the `label` if the slot has one, and `wrapped`: nonce, ciphertext and tag
/// of AES-256-GCM in Base64URL. The wrapping key depends on the kind:
/// - `passphrase`: scrypt (RFC 7914). The members are `kdf`, which is "scrypt", `n`, `r`, `p` and `salt`.
/// - `keyFile`: HKDF-SHA-256 of the file's 32 bytes, with the id of the vault or bundle as the salt.
///
/// The wrapped key is bound to the ids of the vault and of the vault key, and to how the wrapping key is derived.
struct KeySlot: Sendable, Hashable {
    /// How the wrapping key is derived.
    enum Method: Sendable, Hashable {
        case passphrase(Scrypt.Parameters, salt: [UInt8])
        case keyFile
    }

    /// The user's name for the slot; nil if the slot is named after its kind.
    let label: String?
    let method: Method
    private let wrapped: [UInt8]

    fileprivate static let saltLength = 16

    /// Wraps the key of a vault, or of a bundle.
    ///
    /// - Parameter key: the wrapping key that ``key(_:_:vault:)`` derived.
    init(
        _ method: Method, label: String?, key: SecretBytes, vault: UUID, _ keys: VaultKeys
    ) throws(CryptographyError) {
        self.label = label
        self.method = method
        wrapped = try keys.wrap(
            under: key, authenticating: Self.context(method, vault: vault, keyID: keys.id))
    }

    /// Reads a slot; nil if the JSON is not a slot, or if its cost is higher than this program allows.
    init?(_ json: JSONValue) {
        guard let text = json["wrapped"]?.string, let wrapped = Base64URL.decode(text),
            wrapped.count == VaultKeys.wrappedLength
        else { return nil }
        switch json["kind"]?.string {
        case "keyFile": method = .keyFile
        case "passphrase":
            guard let n = json["n"]?.integer, let r = json["r"]?.integer, let p = json["p"]?.integer,
                let n = UInt64(exactly: n), let r = UInt64(exactly: r), let p = UInt64(exactly: p),
                let text = json["salt"]?.string, let salt = Base64URL.decode(text),
                salt.count == Self.saltLength
            else { return nil }
            let parameters = Scrypt.Parameters(n: n, r: r, p: p)
            guard parameters.isAcceptable else { return nil }
            method = .passphrase(parameters, salt: salt)
        default: return nil
        }
        label = json["label"]?.string
        self.wrapped = wrapped
    }

    /// The same slot with another name. The wrapped key is not bound to the name.
    func labelled(_ label: String?) -> KeySlot { KeySlot(label: label, method: method, wrapped: wrapped) }

    private init(label: String?, method: Method, wrapped: [UInt8]) {
        self.label = label
        self.method = method
        self.wrapped = wrapped
    }

    /// The name of the slot whose secret is in a desktop keyring. The space keeps it apart from the names that users
    /// choose.
    private static let rememberedName = "desktop keyring"

    /// Whether the slot's secret is in a desktop keyring.
    var isRemembered: Bool { label == Self.rememberedName }

    /// No two slots of a vault have the same name.
    var name: String { label ?? method.kind.rawValue }

    var json: JSONValue {
        var object: JSONObject
        switch method {
        case .keyFile: object = ["kind": "keyFile"]
        case .passphrase(let cost, let salt):
            object = [
                "kind": "passphrase", "kdf": "scrypt", "n": JSONValue(cost.n), "r": JSONValue(cost.r),
                "p": JSONValue(cost.p), "salt": .string(Base64URL.encode(salt)),
            ]
        }
        if let label { object["label"] = .string(label) }
        object["wrapped"] = .string(Base64URL.encode(wrapped))
        return .object(object)
    }

    /// Unwraps the vault key; nil if the secret is wrong.
    func unwrap(_ secret: SecretBytes, vault: UUID, keyID: UUID) throws(VaultError) -> VaultKeys? {
        do {
            return try VaultKeys.unwrap(
                wrapped, id: keyID, under: Self.key(method, secret, vault: vault),
                authenticating: Self.context(method, vault: vault, keyID: keyID))
        } catch {
            guard error == .authenticationFailed else { throw .cryptography(error) }
            return nil
        }
    }

    /// Derives the wrapping key of a slot. Deriving it from a passphrase is slow, and does not depend on the vault.
    static func key(
        _ method: Method, _ secret: SecretBytes, vault: UUID
    ) throws(CryptographyError) -> SecretBytes {
        switch method {
        case .passphrase(let cost, let salt):
            try Scrypt.derive(passphrase: secret, salt: salt, cost, count: AESGCM.keyLength)
        case .keyFile:
            HKDF(secret, salt: vault.bytes).derive(
                info: Array("bskyauth vault 1 key file".utf8), count: AESGCM.keyLength)
        }
    }

    private static func context(_ method: Method, vault: UUID, keyID: UUID) -> [UInt8] {
        let head = Array("bskyauth vault 1 slot".utf8) + vault.bytes + keyID.bytes
        switch method {
        case .passphrase(let cost, let salt):
            return head + Array("passphrase \(cost.n) \(cost.r) \(cost.p) ".utf8) + salt
        case .keyFile: return head + Array("key file".utf8)
        }
    }
}

extension KeySlot {
    /// Makes the slot whose secret is in a desktop keyring: 32 random bytes, like those of a key file.
    static func remembered(
        _ secret: SecretBytes, of owner: UUID, _ keys: VaultKeys
    ) throws(CryptographyError) -> KeySlot {
        let key = try key(.keyFile, secret, vault: owner)
        return try KeySlot(.keyFile, label: rememberedName, key: key, vault: owner, keys)
    }

    /// Makes a slot for the secret of a key source.
    ///
    /// - Parameter owner: the id of the vault or the bundle.
    init(
        for source: KeySource, _ secret: SecretBytes, _ cost: Scrypt.Parameters, of owner: UUID,
        _ keys: VaultKeys, label: String? = nil
    ) throws(VaultError) {
        do {
            let method = try Method(for: source, secret, cost)
            let key = try Self.key(method, secret, vault: owner)
            try self.init(method, label: label, key: key, vault: owner, keys)
        } catch {
            throw .cryptography(error)
        }
    }
}

extension KeySlot.Method {
    /// The method of a new slot, with a new salt if it needs one.
    init(
        for source: KeySource, _ secret: SecretBytes, _ cost: Scrypt.Parameters
    ) throws(CryptographyError) {
        // The caller has to check both. An empty passphrase protects nothing.
        guard secret.count > 0, cost.isAcceptable else { throw .invalidParameter("key") }
        switch source {
        case .passphrase: self = .passphrase(cost, salt: try RandomBytes.generate(KeySlot.saltLength))
        case .keyFile: self = .keyFile
        }
    }

    /// Whether this kind of key opens the slot.
    func fits(_ key: KeySource) -> Bool {
        kind == key.kind
    }

    var kind: KeyKind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        }
    }
}
