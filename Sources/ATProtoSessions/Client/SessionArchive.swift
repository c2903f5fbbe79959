internal import ATPCryptography
internal import ATPJSON
public import OAuthDPoP

extension Account {
    /// The account as text, to store it. It holds no secret.
    public var archive: String { String(decoding: record.bytes, as: UTF8.self) }

    /// Reads ``archive``. Nil for another text, and for an account that a later version wrote.
    public init?(archive: String) {
        try? self.init(record: SecretBytes(Array(archive.utf8)))
    }
}

extension Session {
    /// The session as text, to store it. It holds secrets: the tokens, and the private key of a `DPoPKey`. Other signers
    /// keep their key, and the archive names only its thumbprint.
    public var archive: String { String(decoding: record.bytes, as: UTF8.self) }

    /// Reads ``archive``. Nil for another text, for a session that a later version wrote, and for a key that is not found.
    ///
    /// - Parameters:
    ///   - archive: the text of ``archive``.
    ///   - signers: finds the key by its thumbprint, if it is not a `DPoPKey`.
    public init?(archive: String, signers: (_ thumbprint: String) -> (any ProofSigner)? = { _ in nil }) {
        try? self.init(record: SecretBytes(Array(archive.utf8)), signers: signers)
    }
}

/// An account with its session as one text, to move it to another machine or another store. It holds secrets.
///
/// A session must not be in two places, because each refresh token works once. Remove it from the first place when it has
/// arrived at the second one.
public struct SessionArchive: Sendable, CustomStringConvertible, CustomReflectable {
    /// The account, as it was saved.
    public let account: Account
    package let session: Session

    package init(_ account: Account, _ session: Session) {
        self.account = account
        self.session = session
    }

    /// The account and the session as text: a JSON object with `version`, `account` and `session`.
    public var text: String {
        JSONValue.object([
            "version": JSONValue(Self.version), "account": .string(account.archive),
            "session": .string(session.archive),
        ]).text
    }

    /// Reads ``text``. The two halves of the key must belong together, and an access token that names its key must name this
    /// one (RFC 9449 §6).
    ///
    /// - Parameters:
    ///   - text: the text of ``text``.
    ///   - signers: finds the key by its thumbprint, if it is not a `DPoPKey`.
    /// - Throws: ``ATProtoFailure/Code/unreadableArchive``.
    public init(
        text: String, signers: (_ thumbprint: String) -> (any ProofSigner)? = { _ in nil }
    ) throws(ATProtoFailure) {
        guard let json = try? JSONParser.parse(text), json["version"]?.integer == Self.version,
            let account = json["account"]?.string.flatMap({ Account(archive: $0) }),
            let session = json["session"]?.string.flatMap({ Session(archive: $0, signers: signers) })
        else { throw ATProtoFailure(.unreadableArchive, "the archive can't be read") }
        switch session.keyProblem {
        case .invalid:
            throw ATProtoFailure(.unreadableArchive, "the two halves of the key don't belong together")
        case .otherThanBound:
            throw ATProtoFailure(.unreadableArchive, "the access token is bound to another key")
        case nil: break
        }
        self.init(account, session)
    }

    private static let version: Int64 = 1

    /// The account, without any secret.
    public var description: String { "the session of \(account.name)" }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
