internal import ATPJSON
public import ATProtoIdentity
internal import ATProtoSessions

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The session of an app, as `bskyauth-server` has sealed it. It has no token of OAuth, and the server can end it at any time.
public struct BackendSession: Sendable, CustomStringConvertible, CustomReflectable {
    /// The active account, as the server names it. Nil after its logout, until ``BackendClient/activate(_:)``.
    public let account: UUID?
    /// The DID of the active account.
    public let did: DID?
    /// The handle of the active account, to show it. Nil if it has none.
    public let handle: ATProtoIdentity.Handle?
    /// When the session ends unless it is refreshed, by the clock of the server.
    public let expiry: Date?
    /// The sealed session, for `Authorization: Bearer` of a request to a server of the app, which asks the backend whose it is.
    /// It is a secret: everybody who has it can act as the accounts.
    public let token: String

    /// Names the session in this app. It stays the same when the session changes.
    let id: UUID
    /// When this sealed session came, by the clock of this machine.
    let since: Date
    /// An account that was refused after its login, and that the server still has.
    let refused: UUID?

    /// The session that an answer gives.
    ///
    /// - Parameter id: nil for a new session.
    init(id: UUID?, token: String, of grant: Backend.Grant, since: Date) {
        self.init(
            account: grant.account, did: grant.did, handle: grant.handle, expiry: grant.expiry,
            token: token, id: id ?? UUID(), since: since, refused: nil)
    }

    private init(
        account: UUID?, did: DID?, handle: ATProtoIdentity.Handle?, expiry: Date?, token: String, id: UUID,
        since: Date, refused: UUID?
    ) {
        self.account = account
        self.did = did
        self.handle = handle
        self.expiry = expiry
        self.token = token
        self.id = id
        self.since = since
        self.refused = refused
    }

    /// The session without an active account, and with an account that must be logged out before anything else.
    func refusing(_ account: UUID?) -> BackendSession {
        BackendSession(
            account: nil, did: nil, handle: nil, expiry: expiry, token: token, id: id, since: since,
            refused: account)
    }

    /// Whether the session should be refreshed: after a day, or when half of its time is used up. The clock of this machine may
    /// be wrong, so it does not decide whether the session has ended.
    func isAged(at now: Date) -> Bool {
        let day = 86_400.0
        let lifetime = expiry.map { $0.timeIntervalSince(since) } ?? 0
        let age = now.timeIntervalSince(since)
        return age < 0 || age >= (lifetime > 0 ? min(day, lifetime / 2) : day)
    }

    /// Whether a text can be a sealed session: it has to fit into a header field (RFC 6750 §2.1).
    static func isToken(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9._~+\/=-]{1,4096}/) != nil
    }

    /// Whose session it is, without any secret.
    public var description: String {
        guard let did else { return "a session without an active account" }
        return "the session of \(handle.map { "@\($0)" } ?? did.description)"
    }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BackendSession {
    /// The session as text, to store it. It holds the secret.
    var archive: String {
        JSONValue.object([
            "version": 1, "id": .string(id.text), "session": .string(token),
            "account": JSONValue(account?.text), "did": JSONValue(did?.description),
            "handle": JSONValue(handle?.description),
            "expiry": expiry.map { JSONValue(RecordReader.seconds($0)) } ?? .null,
            "since": JSONValue(RecordReader.seconds(since)), "refused": JSONValue(refused?.text),
        ]).text
    }

    /// Reads ``archive``.
    init(archive: String) throws(UnreadableRecord) {
        let reader = try RecordReader(archive)
        self.init(
            account: try reader.optional("account") { UUID(uuidString: $0) },
            did: try reader.optional("did") { DID($0) },
            handle: try reader.optional("handle") { ATProtoIdentity.Handle($0) },
            expiry: try reader.optionalDate("expiry"),
            token: try reader.value("session") { Self.isToken($0) ? $0 : nil },
            id: try reader.value("id") { UUID(uuidString: $0) }, since: try reader.date("since"),
            refused: try reader.optional("refused") { UUID(uuidString: $0) })
    }
}

/// An account of a session.
public struct BackendAccount: Sendable, Hashable, Identifiable {
    /// The account, as the server names it.
    public let id: UUID
    /// Whose account it is.
    public let did: DID
    /// The handle, to show it. Nil if it has none.
    public let handle: ATProtoIdentity.Handle?
    /// Whether calls are made as this account.
    public let isActive: Bool
}
