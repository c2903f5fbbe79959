import Foundation

/// What the authorization server knows about a client from its client_id.
struct OAuthClient: Sendable {
    let clientID: String
    let name: String
    let redirectURIs: [String]
    let scopes: [String]
    private let rules: ClientRules

    /// Parses a loopback client_id, or finds a registered client (`protocol:L1`-`L8`).
    init(clientID: String, registered: ClientRegistry, rules: ClientRules) throws(OAuthFailure) {
        if clientID.hasPrefix("http://localhost") {
            self = try Self.loopback(clientID, rules)
        } else if let client = registered.find(clientID) {
            self.init(
                clientID: clientID, name: client.name, redirectURIs: client.redirectURIs,
                scopes: client.scopes, rules: rules)
        } else {
            let reason = URLComponents(string: clientID)?.host == nil ? "Invalid URL" : "Not found"
            throw OAuthFailure(
                "invalid_client_metadata", "Unable to obtain client metadata for \"\(clientID)\": \(reason)",
                reason: .clientUnknown, subject: clientID)
        }
    }

    init(
        clientID: String,
        name: String,
        redirectURIs: [String],
        scopes: [String],
        rules: ClientRules = ClientRules()
    ) {
        self.rules = rules
        self.clientID = clientID
        self.name = name
        self.redirectURIs = redirectURIs
        self.scopes = scopes
    }

    private static func loopback(_ clientID: String, _ rules: ClientRules) throws(OAuthFailure) -> OAuthClient
    {
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
            rules: rules
        )
    }

    /// The redirect URI to use: the requested one if it is declared, or the only declared one.
    func redirectURI(requested: String?) throws(OAuthFailure) -> String {
        guard let requested else {
            guard redirectURIs.count == 1 else {
                throw OAuthFailure("invalid_request", "redirect_uri is required")
            }
            return redirectURIs[0]
        }
        guard redirectURIs.contains(where: { matches(requested, declared: $0) }) else {
            throw OAuthFailure(
                "invalid_request", "Invalid redirect_uri \(requested)", reason: .redirectUnknown)
        }
        return requested
    }

    /// Compares exactly. A loopback URI declared without a port matches any port (`protocol:L6`, cases 101-107).
    private func matches(_ requested: String, declared: String) -> Bool {
        if requested == declared { return true }
        guard rules.port != .exact, let ours = LoopbackRedirect(declared),
            ours.port == nil || rules.port == .free,
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
