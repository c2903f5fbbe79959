package import ATPNetworking
internal import ATProtoOAuth
internal import OAuthDPoP

/// The settings of the server, all of them checked. ``ConfigurationReader`` reads them.
package struct Configuration: Sendable {
    /// The address that browsers and apps use, without a path.
    package let baseURL: Origin
    /// The name on the pages and in the client metadata document.
    package let appName: String
    /// Where the server listens. The proxy that ends TLS connects to it.
    package let listen: ListenAddress
    /// The addresses of the proxies whose `X-Forwarded-For` counts.
    package let trustedProxies: [ClientAddress]
    /// The folder of the rows, the keys and the vault.
    package let state: String
    /// The store of the rows if replicas share them; nil for rows on this machine.
    package let store: StoreSettings?
    /// The file that opens the vault.
    package let vaultKeyFile: String
    /// The permissions that a login asks for.
    package let scope: String
    /// Whether the server authenticates as a client with its keys.
    package let isConfidential: Bool
    /// How long a session that is not refreshed lasts.
    package let sessionIdle: Duration
    /// How long a session lasts at most.
    package let sessionTTL: Duration
    /// Where the operator's listener is; nil for none.
    package let adminListen: AdminAddress?
    /// How long an account may go without a refresh of its OAuth session. Nil: it is refreshed only for calls.
    package let refreshIdleAfter: Duration?
    package let audit: AuditSettings
    /// The apps that may begin logins, besides the server's own pages.
    package let apps: [RegisteredApp]
    package let limits: Limits
    /// The client assertion backend; nil if it is off.
    package let assertions: AssertionSettings?
    /// The protection of other sites; nil if it is off.
    package let sites: SiteSettings?
    /// A test network on this machine.
    package let devNetwork: Origin?

    package struct Limits: Sendable {
        /// Logins that one client may begin in a minute.
        package let loginsPerClient: Int
        /// Logins that all clients may begin in a minute.
        package let logins: Int
        /// Logins that are being begun at the same time.
        package let loginsAtOnce: Int
        /// Mebibytes of the body of a call.
        package let uploadMegabytes: Int
        /// Bodies of calls that arrive at the same time.
        package let uploadsAtOnce: Int
        /// Connections at the same time.
        package let connections: Int
        /// Calls of all sessions at the same time.
        package let callsAtOnce: Int
        /// Requests of one session at the same time.
        package let requestsPerSession: Int
        /// Calls to the server of one account at the same time.
        package let callsPerServer: Int

        /// How many files the server may have open: for each connection its own, that of the request to another server, and that of
        /// a long body, and some for itself.
        var files: Int { connections + callsAtOnce + uploadsAtOnce + loginsAtOnce * 4 + 200 }
    }

    package var policy: NetworkPolicy { NetworkPolicy(devNetwork: devNetwork) }
    var clientID: String { "\(baseURL)/oauth-client-metadata.json" }
    var redirectURI: String { "\(baseURL)/oauth/callback" }
    /// Where the server may send the browser: its own page and, with a client assertion backend, the one of programs.
    private var redirectURIs: [String] {
        [redirectURI] + (assertions == nil ? [] : ["\(baseURL)/oauth/loopback"])
    }
    /// The document that the server publishes at its client ID.
    ///
    /// - Parameter keys: the public halves of the server's client keys.
    func clientMetadata(_ keys: [PublicJWK]) throws(InvalidClientMetadata) -> ClientMetadata {
        guard isConfidential else {
            return try .public(
                clientID: clientID, name: appName, redirectURIs: redirectURIs, scope: scope, isWebsite: true)
        }
        return try .confidential(
            clientID: clientID, name: appName, redirectURIs: redirectURIs, scope: scope, keys: keys)
    }

    /// How long a sealed session lasts at most without a new one.
    var longestSeal: Duration { max(sessionIdle, sites?.ttl ?? .zero) }
    var rowsFolder: String { state + "/rows" }
    package var keysFolder: String { state + "/keys" }
    var vaultFolder: String { state + "/vault" }
    var auditFolder: String { state + "/audit" }
}

/// The store in which replicas of the server share their rows.
package struct StoreSettings: Sendable {
    /// The nodes of etcd, and the beginning of the rows' keys.
    let url: String
    /// The file with the password of the user in the URL.
    let passwordFile: String?
}

/// Where the server listens.
package struct ListenAddress: Sendable, CustomStringConvertible {
    let host: String
    let port: Int

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Where the listener of the operator is: on this machine only.
package enum AdminAddress: Sendable, CustomStringConvertible {
    case loopback(ListenAddress)
    /// A Unix socket.
    case socket(path: String)

    package var description: String {
        switch self {
        case .loopback(let address): address.description
        case .socket(let path): path
        }
    }
}

/// An app that logs people in through this server.
package struct RegisteredApp: Sendable {
    /// The audience of its sessions.
    package let name: String
    /// Where a login may end, compared byte for byte.
    package let redirects: [String]
    /// The origins of its pages whose scripts may read answers.
    package let origins: [String]

    /// The audience of the sessions of browsers.
    static let browser = "browser"
    /// The audience of the sessions of the protected sites. Their accounts are not in the vault.
    static let sites = "auth"
}
