/// One account of the sandbox.
struct Account: Sendable {
    let did: String
    let handle: String
    var password: String
    /// Passwords for apps, good for password sessions and nothing else.
    var appPasswords: [AppPassword] = []
    /// The code that was e-mailed, when the account asks for one at sign-in (`protocol:A2`).
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

    /// Whether a person who types this at sign-in means the account.
    func isNamed(_ identifier: String) -> Bool {
        identifier == did || identifier.lowercased() == handle
    }

    /// The key in multikey form: `z`, then the P-256 prefix 0x1200 and the compressed point in base58.
    var multikey: String {
        "z" + Base58.encode([0x80, 0x24] + signingKey.publicKey.compressed)
    }

    /// A did:plc made from the handle, the same in every run: 24 characters of `[a-z2-7]` (`protocol:R14`).
    private static func identifier(of handle: String) -> String {
        let hash = SHA256.digest(of: "bskyauth-sandbox:\(handle)".utf8)
        return "did:plc:" + Base32.encode(hash).prefix(24)
    }
}
