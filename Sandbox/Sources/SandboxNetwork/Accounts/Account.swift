/// One account of the sandbox.
struct Account: Sendable {
    let did: String
    let handle: String
    var password: String
    /// App passwords. They open password sessions only.
    var appPasswords: [AppPassword] = []
    /// False for an account that its user has deactivated.
    var isActive = true
    /// The e-mailed code that sign-in requires, if the account has a second factor (`protocol:A2`).
    var emailFactor: String?
    /// The repository's signing key, as its DID document publishes it.
    let signingKey: P256.PrivateKey

    init(did: String? = nil, handle: String, password: String) {
        self.did = did ?? Self.identifier(of: handle)
        self.handle = handle
        self.password = password
        signingKey = P256.PrivateKey()
    }

    var email: String { handle + "@sandbox.test" }

    /// Whether a name typed at sign-in belongs to the account.
    func isNamed(_ identifier: String) -> Bool {
        identifier == did || identifier.lowercased() == handle
    }

    /// The key in multikey form: `z`, then the P-256 prefix 0x1200 and the compressed point in base58.
    var multikey: String {
        "z" + Base58.encode([0x80, 0x24] + signingKey.publicKey.compressed)
    }

    /// A did:plc derived from the handle, the same in every run: 24 characters of `[a-z2-7]` (`protocol:R14`).
    private static func identifier(of handle: String) -> String {
        let hash = SHA256.digest(of: "bskyauth-sandbox:\(handle)".utf8)
        return "did:plc:" + Base32.encode(hash).prefix(24)
    }
}
