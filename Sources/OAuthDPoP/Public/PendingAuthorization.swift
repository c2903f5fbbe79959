internal import ATPJSON
public import ATPNetworking
public import FoundationEssentials

/// An authorization that waits for the person. It works for one redirect.
public struct PendingAuthorization: Sendable, CustomStringConvertible, CustomReflectable {
    /// The page for the person's browser.
    public let url: HTTPURL
    /// When the server forgets the request, by the clock of this machine (RFC 9126 §2.2).
    public let expiry: Date
    /// The server that was asked.
    public let issuer: String
    let clientID: String
    let redirectURI: String
    let scope: String
    let state: State
    let verifier: CodeVerifier
    /// The key of the session.
    public let signer: any ProofSigner

    /// The server, without any secret.
    public var description: String { "an authorization at \(UntrustedText.harmless(issuer))" }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PendingAuthorization {
    /// The authorization as text, so that another request or process can complete it. It holds secrets, the private key
    /// of a ``DPoPKey`` among them. Other signers keep their key; the archive names only its thumbprint.
    public var archive: String {
        var members: JSONObject = [
            "version": JSONValue(Self.version), "url": .string(url.description),
            "expiry": JSONValue(Int64(expiry.timeIntervalSince1970.rounded(.down))),
            "issuer": .string(issuer),
            "client_id": .string(clientID), "redirect_uri": .string(redirectURI), "scope": .string(scope),
            "state": .string(state.value), "verifier": .string(verifier.value),
            "thumbprint": .string(signer.thumbprint),
        ]
        if let key = signer as? DPoPKey { members["key"] = .string(key.privateKeyText()) }
        return JSONValue.object(members).text
    }

    /// Reads ``archive``.
    ///
    /// - Parameters:
    ///   - archive: the text of ``archive``.
    ///   - signer: the key of the session if it is not a ``DPoPKey``.
    /// - Throws: ``OAuthFailure/Code/unreadableArchive`` for an archive of another version, and for another key.
    public init(archive: String, signer: (any ProofSigner)? = nil) throws(OAuthFailure) {
        guard let json = try? JSONParser.parse(archive), let version = json["version"]?.integer else {
            throw OAuthFailure(.unreadableArchive, "the archive can't be read")
        }
        guard version == Self.version else {
            throw OAuthFailure(.unreadableArchive, "the archive has version \(version), not \(Self.version)")
        }
        func text(_ name: String) throws(OAuthFailure) -> String {
            guard let text = json[name]?.string else {
                throw OAuthFailure(.unreadableArchive, "the archive lacks \(name)")
            }
            return text
        }
        guard let url = try? HTTPURL(validating: text("url")), let expiry = json["expiry"]?.integer else {
            throw OAuthFailure(.unreadableArchive, "the archive lacks its URL or its end")
        }
        let kept = json["key"]?.string.flatMap { try? DPoPKey(privateKeyText: $0) }
        guard let signer = signer ?? kept, try signer.thumbprint == text("thumbprint") else {
            throw OAuthFailure(.unreadableArchive, "the archive is of another key")
        }
        self.init(
            url: url, expiry: Date(timeIntervalSince1970: Double(expiry)), issuer: try text("issuer"),
            clientID: try text("client_id"), redirectURI: try text("redirect_uri"), scope: try text("scope"),
            state: State(value: try text("state")), verifier: CodeVerifier(value: try text("verifier")),
            signer: signer)
    }

    private static let version: Int64 = 1
}
