import Foundation

extension OAuthClient {
    /// Parses a loopback client_id (`protocol:L1`-`L8`).
    static func loopback(_ clientID: String, _ rules: ClientRules) throws(OAuthFailure) -> OAuthClient {
        let invalid = OAuthFailure(
            "invalid_client_metadata", "Invalid client ID \"\(clientID)\"", reason: .clientUnknown,
            subject: clientID)
        var rest = clientID.dropFirst("http://localhost".count)
        if rest.first == "/" {
            rest = rules.allowsPath ? rest.drop { $0 != "?" } : rest.dropFirst()
        }
        guard rest.isEmpty || rest.first == "?", !rest.contains("#") else { throw invalid }
        let query = FormBody(urlencoded: rest.dropFirst())
        let isKnown = query.fields.allSatisfy { $0.name == "scope" || $0.name == "redirect_uri" }
        guard isKnown || rules.allowsUnknownKeys, query.all("scope").count <= 1
        else { throw invalid }
        let scopes = (query["scope"] ?? "atproto").split(separator: " ").map(String.init)
        guard scopes.contains("atproto") || !rules.needsAtproto else {
            throw OAuthFailure(
                "invalid_client_metadata",
                "Invalid loopback client id \"\(clientID)\": ATProto Loopback ClientID must include \"atproto\" scope"
            )
        }
        var declared = query.all("redirect_uri")
        if rules.onlyFirstRedirect { declared = Array(declared.prefix(1)) }
        guard rules.allowsLocalhostRedirect || declared.allSatisfy({ LoopbackRedirect($0) != nil }) else {
            throw OAuthFailure("invalid_client_metadata", "Invalid loopback client id \"\(clientID)\"")
        }
        return OAuthClient(
            clientID: clientID,
            name: "Loopback client",
            redirectURIs: declared.isEmpty ? ["http://127.0.0.1/", "http://[::1]/"] : declared,
            scopes: scopes,
            port: rules.port
        )
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
