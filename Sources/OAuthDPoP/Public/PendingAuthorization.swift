internal import ATPJSON
public import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An authorization that waits for the person. It works for one redirect.
public struct PendingAuthorization: Sendable, CustomStringConvertible, CustomReflectable {
    /// The page for the person's browser.
    public let url: HTTPURL
    /// When the server forgets the request, by the clock of this machine (RFC 9126 §2.2).
    public let expiry: Date
    /// The server that was asked.
    public let issuer: String
    package let clientID: String
    package let redirectURI: String
    package let scope: String
    package let state: State
    package let verifier: CodeVerifier
    /// The key of the session.
    public let signer: any ProofSigner

    package init(
        url: HTTPURL, expiry: Date, issuer: String, clientID: String, redirectURI: String, scope: String,
        state: State, verifier: CodeVerifier, signer: any ProofSigner
    ) {
        self.url = url
        self.expiry = expiry
        self.issuer = issuer
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.state = state
        self.verifier = verifier
        self.signer = signer
    }

    /// The server, without any secret.
    public var description: String { "an authorization at \(UntrustedText.harmless(issuer))" }

    /// Has no children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PendingAuthorization {
    /// The authorization as text, so that another request or process can complete it. It holds secrets, the private key
    /// of a ``DPoPKey`` among them. Other signers keep their key, and the archive names only its thumbprint.
    public var archive: String {
        Archive.text(
            [
                "url": .string(url.description),
                "expiry": JSONValue(Archive.seconds(expiry)),
                "issuer": .string(issuer), "client_id": .string(clientID),
                "redirect_uri": .string(redirectURI), "scope": .string(scope),
                "state": .string(state.value), "verifier": .string(verifier.value),
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
        guard let url = try? HTTPURL(validating: archive.text("url")),
            let expiry = try archive.optionalInteger("expiry")
        else { throw OAuthFailure(.unreadableArchive, "the archive lacks its URL or its end") }
        self.init(
            url: url, expiry: Date(timeIntervalSince1970: Double(expiry)), issuer: try archive.text("issuer"),
            clientID: try archive.text("client_id"), redirectURI: try archive.text("redirect_uri"),
            scope: try archive.text("scope"), state: State(value: try archive.text("state")),
            verifier: CodeVerifier(value: try archive.text("verifier")), signer: try archive.signer(signer))
    }
}

extension PendingAuthorization {
    /// The query of a redirect to this authorization's redirect URI. A text that is no URL is a query.
    ///
    /// - Throws: ``OAuthFailure/Code/foreignRedirect`` for a URL of another place. A client of several servers that don't send
    ///   `iss` tells them apart by the redirect URI (RFC 9700 §4.4.2).
    package func query(of redirect: String) throws(OAuthFailure) -> String {
        let text = redirect.prefix { $0 != "#" }
        // A query begins with a name, and no name has these characters of a URL.
        let isURL = text.prefix { $0 != "=" && $0 != "&" }.contains { ":/?".contains($0) }
        guard isURL else { return String(text) }
        let place = text.prefix { $0 != "?" }
        let query = String(text.dropFirst(place.count + 1))
        let expected = redirectURI.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard place.isEmpty || Self.isSamePlace(String(place), String(expected[0])),
            expected.count == 1 || query.hasPrefix("\(expected[1])&")
        else { throw OAuthFailure(.foreignRedirect, "the redirect went to another address") }
        return query
    }

    /// A browser writes the host in lower case and adds an empty path, so the URLs are compared and not the texts.
    private static func isSamePlace(_ found: String, _ expected: String) -> Bool {
        if found == expected { return true }
        guard let found = try? HTTPURL(validating: found), let expected = try? HTTPURL(validating: expected)
        else { return false }
        return found == expected
    }
}
