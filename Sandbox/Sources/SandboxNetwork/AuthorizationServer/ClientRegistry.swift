import Synchronization

/// Clients with an https client_id. Tests register their metadata, since the sandbox fetches nothing.
///
/// `POST /_sandbox/clients` registers a document.
final class ClientRegistry: Sendable {
    private let clients = Mutex<[String: OAuthClient]>([:])

    /// Registers a client metadata document. Returns `false` when a required member is missing.
    func register(_ document: JSONValue) -> Bool {
        guard let clientID = document["client_id"]?.string, clientID.hasPrefix("https://"),
            let redirects = document["redirect_uris"]?.array?.compactMap(\.string), !redirects.isEmpty,
            let scope = document["scope"]?.string, document["dpop_bound_access_tokens"]?.bool == true,
            document["token_endpoint_auth_method"]?.string == "none"
        else { return false }
        let client = OAuthClient(
            clientID: clientID,
            name: document["client_name"]?.string ?? clientID,
            redirectURIs: redirects,
            scopes: scope.split(separator: " ").map(String.init)
        )
        clients.withLock { $0[clientID] = client }
        return true
    }

    func find(_ clientID: String) -> OAuthClient? {
        clients.withLock { $0[clientID] }
    }
}
