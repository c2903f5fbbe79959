internal import Networking

/// What the transfers of a process share.
package struct CurlConfiguration: Sendable {
    /// The `User-Agent` field.
    package let userAgent: String
    let trust: TrustStores
    let proxies: ProxyVariables

    /// Reads the variables that the curl tool obeys and libcurl by itself does not: `CURL_CA_BUNDLE`,
    /// `SSL_CERT_FILE`, `SSL_CERT_DIR`; and those that name proxies.
    package init(userAgent: String, environment: [String: String]) {
        self.init(userAgent: userAgent, environment: environment, system: .system)
    }

    /// - Parameter system: what is trusted where no variable says so.
    init(userAgent: String, environment: [String: String], system: TrustStores.Store) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        self.userAgent = userAgent
        let file = value("CURL_CA_BUNDLE", "SSL_CERT_FILE")
        let directory = value("SSL_CERT_DIR")
        trust = TrustStores(
            TrustStores.Store(file: file ?? system.file, directory: directory ?? system.directory),
            isChosen: file != nil || directory != nil)
        proxies = ProxyVariables(environment: environment)
    }

    /// What connects in our place; nil where we do, as on the dev network always.
    func proxy(for origin: Origin, under policy: NetworkPolicy) -> String? {
        policy.devNetwork == nil ? proxies.proxy(for: origin) : nil
    }

    /// Whether a proxy connects in our place, and alone knows where the names of servers lead.
    package var usesProxy: Bool { proxies.isSet }

    /// That proxy, without its name and password; nil where there is none.
    package var proxy: String? { proxies.shown }
}
