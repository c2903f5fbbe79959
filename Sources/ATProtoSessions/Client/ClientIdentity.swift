internal import ATProtoOAuth
public import OAuthDPoP

/// Who the app is to authorization servers: a client of AT Protocol (atproto.com/specs/oauth, Clients).
public struct ClientIdentity: Sendable {
    /// The URL of the client metadata document. Servers compare it byte for byte.
    public let clientID: String
    /// Where the browser is sent at the end of a login. The client metadata document lists it.
    public let redirectURI: String
    /// The permissions that a login asks for, separated by spaces. `atproto` is one of them.
    public let scope: String

    /// Authenticates a confidential client, whose sessions last longer. Empty for a public client.
    public let assertions: [any ClientAssertionSource]

    /// A client with a metadata document.
    ///
    /// - Parameters:
    ///   - clientID: the https URL of the document.
    ///   - redirectURI: one of the document's redirect URIs.
    ///   - scope: at most the scope of the document.
    ///   - assertions: the keys of a confidential client. The first one is for new logins; a session keeps the key of its login.
    ///     Empty for a public client.
    public init(
        clientID: String, redirectURI: String, scope: String = "atproto transition:generic",
        assertions: [any ClientAssertionSource] = []
    ) {
        self.assertions = assertions
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
    }

    /// The client without a document, for programs on the person's own machine (atproto.com/specs/oauth, Localhost Client
    /// Development). Servers show its redirect URI as its name.
    ///
    /// - Parameters:
    ///   - redirectURI: an address of this machine, as `http://127.0.0.1/callback`. The port may differ at each login.
    ///   - scope: the permissions that a login asks for, separated by spaces.
    public static func loopback(
        redirectURI: String, scope: String = "atproto transition:generic"
    ) -> ClientIdentity {
        let id = LoopbackClientID.make(scope: Scope(scope), redirectURI: redirectURI)
        return ClientIdentity(clientID: id.description, redirectURI: redirectURI, scope: scope)
    }

    /// The client of new logins.
    var client: Client {
        Client(
            ClientID(clientID),
            authentication: assertions.first.map { .privateKeyJWT(keyID: $0.keyID) } ?? .none)
    }

    /// What authenticates the client of a session; nil for a public client. Another key is never tried, because a server may
    /// then end the session.
    func assertions(for client: Client) throws(SessionFailure) -> (any ClientAssertionSource)? {
        guard let keyID = client.keyID else { return nil }
        guard client.id.description == clientID, let source = assertions.first(where: { $0.keyID == keyID })
        else { throw .clientKeyMissing(client.id, keyID: keyID) }
        return source
    }
}
