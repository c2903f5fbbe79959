internal import Cryptography
internal import FoundationEssentials
internal import JSON

/// The vault key, wrapped for one way of opening the vault.
struct KeySlot: Sendable {
    /// How the key that unwraps it is found.
    enum Method: Sendable, Hashable {
        case passphrase(Scrypt.Parameters, salt: [UInt8])
        case keyFile
    }

    /// What its owner calls it; nil for a name of its kind.
    let label: String?
    let method: Method
    private let wrapped: [UInt8]

    private static let saltLength = 16

    /// Wraps the key of a vault for who has `secret`.
    init(
        _ method: Method, label: String?, secret: SecretBytes, vault: UUID, _ keys: VaultKeys
    ) throws(CryptographyError) {
        let key = try Self.key(method, secret, vault: vault)
        try self.init(method, label: label, key: key, vault: vault, keys)
    }

    /// The same where what the secret is made into is there already: ``key(_:_:vault:)``.
    init(
        _ method: Method, label: String?, key: SecretBytes, vault: UUID, _ keys: VaultKeys
    ) throws(CryptographyError) {
        self.label = label
        self.method = method
        wrapped = try keys.wrap(
            under: key, authenticating: Self.context(method, vault: vault, keyID: keys.id))
    }

    /// nil where it is no slot, or one that costs more than any that this program writes.
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

    /// The same slot under another name. No name is part of what its key is bound to.
    func labelled(_ label: String?) -> KeySlot { KeySlot(label: label, method: method, wrapped: wrapped) }

    private init(label: String?, method: Method, wrapped: [UInt8]) {
        self.label = label
        self.method = method
        self.wrapped = wrapped
    }

    /// What tells it from the other slots of its vault.
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

    /// - Throws: ``CryptographyError/authenticationFailed`` where the secret is another.
    func unwrap(_ secret: SecretBytes, vault: UUID, keyID: UUID) throws(CryptographyError) -> VaultKeys {
        try VaultKeys.unwrap(
            wrapped, id: keyID, under: Self.key(method, secret, vault: vault),
            authenticating: Self.context(method, vault: vault, keyID: keyID))
    }

    /// A salt for a new slot.
    static func salt() throws(CryptographyError) -> [UInt8] { try RandomBytes.generate(saltLength) }

    /// What a secret is made into for a slot of a vault or of a bundle. A passphrase takes its time, and becomes
    /// the same in all of them.
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

extension KeySlot.Method {
    var kind: KeyKind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        }
    }
}
