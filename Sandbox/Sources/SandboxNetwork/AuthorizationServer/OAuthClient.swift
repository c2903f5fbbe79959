import Foundation

/// What the authorization server knows about a client from its client_id.
struct OAuthClient: Sendable {
    let clientID: String
    let name: String
    let redirectURIs: [String]
    let scopes: [String]

    /// Reads a loopback client_id, or finds a registered one (`protocol:L1`-`L8`).
    init(clientID: String, registered: ClientRegistry) throws(OAuthFailure) {
        if clientID.hasPrefix("http://localhost") {
            self = try Self.loopback(clientID)
        } else if let client = registered.find(clientID) {
            self = client
        } else {
            let reason = URLComponents(string: clientID)?.host == nil ? "Invalid URL" : "Not found"
            throw OAuthFailure(
                "invalid_client_metadata", "Unable to obtain client metadata for \"\(clientID)\": \(reason)")
        }
    }

    init(clientID: String, name: String, redirectURIs: [String], scopes: [String]) {
        self.clientID = clientID
        self.name = name
        self.redirectURIs = redirectURIs
        self.scopes = scopes
    }

    private static func loopback(_ clientID: String) throws(OAuthFailure) -> OAuthClient {
        let invalid = OAuthFailure("invalid_client_metadata", "Invalid client ID \"\(clientID)\"")
        var rest = clientID.dropFirst("http://localhost".count)
        if rest.first == "/" { rest = rest.dropFirst() }
        guard rest.isEmpty || rest.first == "?", !rest.contains("#") else { throw invalid }
        let query = FormBody(urlencoded: rest.dropFirst())
        guard query.fields.allSatisfy({ $0.name == "scope" || $0.name == "redirect_uri" }),
            query.all("scope").count <= 1
        else { throw invalid }
        let scopes = (query["scope"] ?? "atproto").split(separator: " ").map(String.init)
        guard scopes.contains("atproto") else {
            throw OAuthFailure(
                "invalid_client_metadata",
                "Invalid loopback client id \"\(clientID)\": ATProto Loopback ClientID must include \"atproto\" scope"
            )
        }
        let declared = query.all("redirect_uri")
        guard declared.allSatisfy({ LoopbackRedirect($0) != nil }) else {
            throw OAuthFailure("invalid_client_metadata", "Invalid loopback client id \"\(clientID)\"")
        }
        return OAuthClient(
            clientID: clientID,
            name: "Loopback client",
            redirectURIs: declared.isEmpty ? ["http://127.0.0.1/", "http://[::1]/"] : declared,
            scopes: scopes
        )
    }

    /// The redirect URI to use: the one asked for if it is declared, or the only one there is.
    func redirectURI(requested: String?) throws(OAuthFailure) -> String {
        guard let requested else {
            guard redirectURIs.count == 1 else {
                throw OAuthFailure("invalid_request", "redirect_uri is required")
            }
            return redirectURIs[0]
        }
        guard redirectURIs.contains(where: { Self.matches(requested, declared: $0) }) else {
            throw OAuthFailure("invalid_request", "Invalid redirect_uri \(requested)")
        }
        return requested
    }

    /// Exact, or for a loopback URI declared without a port: any port (`protocol:L6`, cases 101-107).
    private static func matches(_ requested: String, declared: String) -> Bool {
        if requested == declared { return true }
        guard let ours = LoopbackRedirect(declared), ours.port == nil,
            let theirs = LoopbackRedirect(requested)
        else { return false }
        return ours.host == theirs.host && ours.path == theirs.path && ours.query == theirs.query
    }
}

/// A redirect URI on the loopback interface, by address (`protocol:L5`).
struct LoopbackRedirect {
    let host: String
    let port: Int?
    let path: String
    let query: String?

    init?(_ text: String) {
        guard let parts = URLComponents(string: text), parts.scheme == "http", parts.user == nil,
            let host = parts.host, ["127.0.0.1", "[::1]", "::1"].contains(host), parts.fragment == nil
        else { return nil }
        self.host = host
        port = parts.port
        path = parts.path.isEmpty ? "/" : parts.path
        query = parts.query
    }
}
