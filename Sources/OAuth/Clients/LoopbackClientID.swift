internal import Networking

/// The client that needs no registration: its name says all that there is to say about it (atproto OAuth:
/// localhost client development, protocol:L1-L7).
package enum LoopbackClientID {
    package static let redirectPath = "/callback"

    /// Where the browser comes back to.
    ///
    /// - Parameter port: nil for the form that servers match with any port (protocol:L6).
    package static func redirectURI(port: Int?) -> String {
        "http://127.0.0.1\(port.map { ":\($0)" } ?? "")\(redirectPath)"
    }

    /// The client that may ask for `scope` and come back to `redirectURI`.
    package static func make(scope: Scope, redirectURI: String) -> ClientID {
        let parameters: FormParameters = ["redirect_uri": redirectURI, "scope": scope.description]
        return ClientID("\(prefix)?\(parameters.encoded)")
    }

    /// The scope that a loopback client asked for: `atproto` where its name has none (protocol:L2). nil for every other
    /// client.
    package static func scope(of client: ClientID) -> Scope? {
        let parts = client.description.split(separator: "?", maxSplits: 1)
        guard let host = parts.first, host == prefix || host == prefix + "/" else { return nil }
        let parameters = parts.count == 2 ? FormParameters(parsing: String(parts[1])) : nil
        return Scope(parameters?.single("scope") ?? Scope.atproto)
    }

    private static let prefix = "http://localhost"
}
