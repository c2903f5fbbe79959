package import ATPNetworking

/// The settings of the protection of other sites, all of them checked.
package struct SiteSettings: Sendable {
    /// The file that lists who may open the sites.
    package let members: String
    /// The sites.
    package let hosts: [Origin]
    /// The domain whose hosts get the cookie.
    package let cookieDomain: String
    /// How long a login lasts.
    package let ttl: Duration

    /// The address of a page of the sites, as a browser can be sent there; nil for every other address.
    func address(_ text: String) -> String? {
        // Browsers leave these in a query, and RFC 3986 does not allow them.
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "^", "`", "{", "|", "}": escaped += FormText.encode(String(scalar))
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        guard let url = try? HTTPURL(validating: escaped), hosts.contains(url.origin) else { return nil }
        return url.description
    }

    /// The domains for which a browser may have the cookie, beside ``cookieDomain``: the host of the server, and each domain above it
    /// that has two labels.
    ///
    /// - Parameter host: the host of the server.
    func otherDomains(above host: String) -> [String] {
        let labels = host.split(separator: ".")
        return (0..<max(0, labels.count - 1)).map { labels[$0...].joined(separator: ".") }.filter {
            $0 != cookieDomain
        }
    }

    /// Each key with its value, for people.
    var values: [(key: String, value: String)] {
        [
            ("auth.members", members), ("auth.hosts", hosts.map(\.description).joined(separator: ", ")),
            ("auth.cookie_domain", cookieDomain), ("auth.ttl", "\(ttl.components.seconds)s"),
        ]
    }
}

extension SiteSettings {
    init(reading reader: ConfigurationReader, baseURL: Origin) throws(ConfigurationError) {
        members = try reader.value("members", ConfigurationReader.path)
        hosts = try reader.values("hosts", ConfigurationReader.baseURL)
        cookieDomain = try reader.value("cookie_domain", ConfigurationReader.domain)
        ttl = try reader.value("ttl", default: "7d", ConfigurationReader.duration)
        try reader.refuseOthers()
        guard !hosts.isEmpty else { throw reader.wrong("hosts", "has no address") }
        for host in [baseURL] + hosts where !".\(host.host)".hasSuffix(".\(cookieDomain)") {
            throw reader.wrong("cookie_domain", "does not contain \(host.host)")
        }
        // A site there would get the cookie that opens `/api` and `/xrpc`.
        guard !hosts.contains(where: { $0.host == baseURL.host }) else {
            throw reader.wrong("hosts", "has the host of base_url. Give the site a host of its own")
        }
    }
}
