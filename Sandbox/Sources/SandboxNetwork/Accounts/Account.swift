import Foundation

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
    /// The key that signs the repository and service tokens.
    private(set) var signingKey = P256.PrivateKey()
    /// The signing key before the last rotation.
    private(set) var earlierSigningKey: P256.PrivateKey?
    /// The key that signs the operations of the DID.
    let rotationKey = P256.PrivateKey()
    /// The key that the DID document names: the signing key, or one of a repository that was made elsewhere.
    private(set) var multikey: String
    /// The URL of the PDS that the DID document names; `nil` for that of this sandbox.
    private(set) var server: String?
    /// The changes of the DID document, in their order. The first is its creation.
    private(set) var changes: [DocumentChange]

    init(did: String? = nil, handle: String, password: String, created: Date) {
        self.did = did ?? Self.identifier(of: handle)
        self.handle = handle
        self.password = password
        multikey = signingKey.publicKey.multikey
        changes = [DocumentChange(date: created, multikey: multikey)]
    }

    /// Whether the directory has no document of the DID any more.
    var isTombstoned: Bool { changes.last.map { $0.multikey == nil } ?? false }

    /// Gives the account a new signing key, which the document names.
    mutating func rotateSigningKey(at date: Date) {
        earlierSigningKey = signingKey
        signingKey = P256.PrivateKey()
        name(signingKey.publicKey.multikey, at: date)
    }

    /// Makes the document name a key.
    mutating func name(_ multikey: String, at date: Date) {
        self.multikey = multikey
        changes.append(DocumentChange(date: date, multikey: multikey, server: server))
    }

    /// Makes the document name another PDS; `nil` for that of this sandbox.
    mutating func move(to server: String?, at date: Date) {
        self.server = server
        changes.append(DocumentChange(date: date, multikey: multikey, server: server))
    }

    /// Gives the DID up, until a key is named again.
    mutating func tombstone(at date: Date) {
        changes.append(DocumentChange(date: date, multikey: nil))
    }

    var email: String { handle + "@sandbox.test" }

    /// Whether a name typed at sign-in belongs to the account.
    func isNamed(_ identifier: String) -> Bool {
        identifier == did || identifier.lowercased() == handle
    }

    /// A did:plc derived from the handle, the same in every run: 24 characters of `[a-z2-7]` (`protocol:R14`).
    private static func identifier(of handle: String) -> String {
        let hash = SHA256.digest(of: "bskyauth-sandbox:\(handle)".utf8)
        return "did:plc:" + Base32.encode(hash).prefix(24)
    }
}
