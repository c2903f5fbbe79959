/// What the transfers of a process share.
package struct CurlConfiguration: Sendable {
    /// The `User-Agent` field.
    package let userAgent: String
    /// A PEM file of certification authorities; nil for the system's.
    package let certificateFile: String?
    /// A directory of hashed certificates; nil for the system's.
    package let certificateDirectory: String?
    let proxies: ProxyVariables

    /// Reads the variables that the curl tool obeys and libcurl by itself does not: `CURL_CA_BUNDLE`,
    /// `SSL_CERT_FILE`, `SSL_CERT_DIR`; and those that name proxies.
    package init(userAgent: String, environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        self.userAgent = userAgent
        certificateFile = value("CURL_CA_BUNDLE", "SSL_CERT_FILE")
        certificateDirectory = value("SSL_CERT_DIR")
        proxies = ProxyVariables(environment: environment)
    }

    /// Whether a proxy connects in our place, and alone knows where the names of servers lead.
    package var usesProxy: Bool { proxies.isSet }

    /// That proxy, without its name and password; nil where there is none.
    package var proxy: String? { proxies.shown }
}
