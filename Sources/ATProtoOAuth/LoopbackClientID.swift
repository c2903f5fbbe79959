internal import ATPNetworking
package import OAuthDPoP

/// The ID of a client without registration. The ID itself holds the client's metadata (atproto OAuth: localhost
/// client development, protocol:L1-L7).
package enum LoopbackClientID {
    package static let redirectPath = "/callback"

    /// The redirect URI of the browser.
    ///
    /// - Parameter port: nil for the form that servers match with every port (protocol:L6).
    package static func redirectURI(port: Int?) -> String {
        "http://127.0.0.1\(port.map { ":\($0)" } ?? "")\(redirectPath)"
    }

    /// The client that may request `scope` and redirect to `redirectURI`.
    package static func make(scope: Scope, redirectURI: String) -> ClientID {
        let parameters: FormParameters = ["redirect_uri": redirectURI, "scope": scope.description]
        return ClientID("\(prefix)?\(parameters.encoded)")
    }

    /// The scope in the ID of a loopback client, or `atproto` if the ID has none (protocol:L2). Nil for every other
    /// client.
    package static func scope(of client: ClientID) -> Scope? {
        let parts = client.description.split(separator: "?", maxSplits: 1)
        guard let host = parts.first, host == prefix || host == prefix + "/" else { return nil }
        let parameters = parts.count == 2 ? FormParameters(parsing: String(parts[1])) : nil
        return Scope(parameters?.single("scope") ?? Scope.atproto)
    }

    private static let prefix = "http://localhost"
}
