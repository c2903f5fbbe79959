/// What the transfers of a process share.
package struct CurlConfiguration: Sendable {
    /// The `User-Agent` field.
    package let userAgent: String
    /// A PEM file of certification authorities; nil for the system's.
    package let certificateFile: String?
    /// A directory of hashed certificates; nil for the system's.
    package let certificateDirectory: String?
    /// Whether a proxy may stand between: the address libcurl connects to is then the proxy's.
    let mayUseProxy: Bool

    /// Reads the variables that the curl tool obeys and libcurl by itself does not: `CURL_CA_BUNDLE`,
    /// `SSL_CERT_FILE`, `SSL_CERT_DIR`. Proxy variables are libcurl's own business.
    package init(userAgent: String, environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        self.userAgent = userAgent
        certificateFile = value("CURL_CA_BUNDLE", "SSL_CERT_FILE")
        certificateDirectory = value("SSL_CERT_DIR")
        mayUseProxy = value("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy") != nil
    }
}
