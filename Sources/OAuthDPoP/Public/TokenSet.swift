internal import ATPJSON
internal import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The tokens of a session and the key that they are bound to. Store all of it, and replace it after each refresh.
public struct TokenSet: Sendable, CustomStringConvertible, CustomReflectable {
    /// The server that issued the tokens. The refresh token is sent to no other one.
    public let issuer: String
    /// The client that the tokens are for.
    public let clientID: String
    let access: AccessToken
    let refresh: RefreshToken?
    /// The granted permissions, separated by spaces. The asked ones if the server names none (RFC 6749 §5.1).
    public let scope: String
    /// When the access token ends, by the clock of this machine. Nil if the server does not say.
    public let expiry: Date?
    /// The account as the server names it, `sub`. Nil if the server names none.
    public let subject: String?
    /// The key that the tokens are bound to (RFC 9449 §5).
    public let signer: any ProofSigner

    /// Tokens that were stored.
    public init(
        issuer: String, clientID: String, accessToken: String, refreshToken: String?, scope: String,
        expiry: Date?,
        subject: String?, signer: any ProofSigner
    ) {
        self.init(
            issuer: issuer, clientID: clientID, access: AccessToken(accessToken),
            refresh: refreshToken.map(RefreshToken.init), scope: scope, expiry: expiry, subject: subject,
            signer: signer)
    }

    init(
        issuer: String, clientID: String, access: AccessToken, refresh: RefreshToken?, scope: String,
        expiry: Date?,
        subject: String?, signer: any ProofSigner
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.access = access
        self.refresh = refresh
        self.scope = scope
        self.expiry = expiry
        self.subject = subject
        self.signer = signer
    }

    /// The token for requests to a resource server. It is opaque to clients (RFC 9449 §7).
    public var accessToken: String { access.reveal() }

    /// The token that gets new tokens, once. Nil if the server gives none.
    public var refreshToken: String? { refresh?.reveal() }

    /// The server and the scope, without any secret.
    public var description: String {
        "tokens of \(UntrustedText.harmless(issuer)) for \(UntrustedText.harmless(scope))"
    }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenSet {
    /// The session as text, to store it. It holds secrets, the private key of a ``DPoPKey`` among them. Other signers keep
    /// their key, and the archive names only its thumbprint.
    public var archive: String {
        Archive.text(
            [
                "issuer": .string(issuer), "client_id": .string(clientID), "scope": .string(scope),
                "access_token": .string(accessToken), "refresh_token": JSONValue(refreshToken),
                "expiry": expiry.map { JSONValue(Archive.seconds($0)) } ?? .null,
                "sub": JSONValue(subject),
            ], signer: signer)
    }

    /// Reads ``archive``.
    ///
    /// - Parameters:
    ///   - archive: the text of ``archive``.
    ///   - signer: the key of the session if it is not a ``DPoPKey``.
    /// - Throws: ``OAuthFailure/Code/unreadableArchive`` for an archive of another version, and for another key.
    public init(archive: String, signer: (any ProofSigner)? = nil) throws(OAuthFailure) {
        let archive = try Archive(reading: archive)
        self.init(
            issuer: try archive.text("issuer"), clientID: try archive.text("client_id"),
            accessToken: try archive.text("access_token"),
            refreshToken: try archive.optionalText("refresh_token"), scope: try archive.text("scope"),
            expiry: try archive.optionalInteger("expiry").map { Date(timeIntervalSince1970: Double($0)) },
            subject: try archive.optionalText("sub"), signer: try archive.signer(signer))
    }
}
