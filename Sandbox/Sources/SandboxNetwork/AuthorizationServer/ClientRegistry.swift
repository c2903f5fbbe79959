import Synchronization

/// Clients with an https client_id whose metadata a test has given to the sandbox.
///
/// The sandbox fetches nothing from anywhere, so such documents are handed over at `/_sandbox/clients`.
final class ClientRegistry: Sendable {
    private let clients = Mutex<[String: OAuthClient]>([:])

    /// Takes a client metadata document; `false` when it lacks what the server needs.
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
