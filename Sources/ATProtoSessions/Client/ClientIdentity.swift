internal import ATProtoOAuth
internal import OAuthDPoP

/// Who the app is to authorization servers: a public client of AT Protocol (atproto.com/specs/oauth, Clients).
public struct ClientIdentity: Sendable, Hashable {
    /// The URL of the client metadata document. Servers compare it byte for byte.
    public let clientID: String
    /// Where the browser is sent at the end of a login. The client metadata document lists it.
    public let redirectURI: String
    /// The permissions that a login asks for, separated by spaces. `atproto` is one of them.
    public let scope: String

    /// A client with a metadata document.
    ///
    /// - Parameters:
    ///   - clientID: the https URL of the document.
    ///   - redirectURI: one of the document's redirect URIs.
    ///   - scope: at most the scope of the document.
    public init(clientID: String, redirectURI: String, scope: String = "atproto transition:generic") {
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

    var client: Client { Client(ClientID(clientID)) }
}
