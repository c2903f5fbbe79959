internal import ATPNetworking

/// The settings that all exchanges of a process share.
package struct CurlConfiguration: Sendable {
    /// The `User-Agent` field.
    package let userAgent: String
    let trust: TrustStores
    let proxies: ProxyVariables

    /// Reads the variables of the curl tool that libcurl itself ignores (`CURL_CA_BUNDLE`, `SSL_CERT_FILE`,
    /// `SSL_CERT_DIR`), and those that name proxies.
    package init(userAgent: String, environment: [String: String]) {
        self.init(userAgent: userAgent, environment: environment, system: .system)
    }

    /// - Parameter system: what to trust if no variable is set.
    init(userAgent: String, environment: [String: String], system: TrustStores.Store) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        self.userAgent = userAgent
        let file = value("CURL_CA_BUNDLE", "SSL_CERT_FILE")
        let directory = value("SSL_CERT_DIR")
        trust = TrustStores(
            TrustStores.Store(file: file ?? system.file, directory: directory ?? system.directory),
            isFileChosen: file != nil)
        proxies = ProxyVariables(environment: environment)
    }

    /// The proxy for an origin; nil for a direct connection, as always on the dev network.
    func proxy(for origin: Origin, under policy: NetworkPolicy) -> String? {
        policy.devNetwork == nil ? proxies.proxy(for: origin) : nil
    }

    /// Whether servers are reached through a proxy, which then resolves their names.
    package var usesProxy: Bool { proxies.isSet }

    /// The proxy without its user name and password; nil if there is none.
    package var proxy: String? { proxies.shown }
}
