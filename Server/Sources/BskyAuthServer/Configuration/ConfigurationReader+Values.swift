internal import ATPNetworking
internal import FoundationEssentials
internal import HTTPTypes

/// How the values of the settings are read from texts.
extension ConfigurationReader {
    static func baseURL(_ text: String) -> Result<Origin, Wrong> {
        guard let url = try? HTTPURL(validating: text), url.origin.scheme == .https,
            text == url.origin.description
        else { return .failure(Wrong("write https, the host in lower case, and nothing after it")) }
        return .success(url.origin)
    }

    static func devNetwork(_ text: String) -> Result<Origin, Wrong> {
        guard let url = try? HTTPURL(validating: text), url.path == "/", url.query == nil,
            NetworkPolicy(devNetwork: url.origin).refusal(of: url) == nil
        else { return .failure(Wrong("write a URL of this machine, such as http://127.0.0.1:2583")) }
        return .success(url.origin)
    }

    static func name(_ text: String) -> Result<String, Wrong> {
        guard (1...80).contains(text.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return .failure(Wrong("write 1 to 80 characters")) }
        return .success(text)
    }

    static func appName(_ text: String) -> Result<String, Wrong> {
        guard text != RegisteredApp.browser, text != RegisteredApp.sites,
            text.wholeMatch(of: /[a-z0-9][a-z0-9._-]{0,63}/) != nil
        else {
            return .failure(
                Wrong("write lower case letters, digits, dots or dashes, but not \"browser\" or \"auth\""))
        }
        return .success(text)
    }

    /// A domain with at least two labels that is no public suffix. Browsers refuse a cookie for one, such as `co.uk`.
    static func domain(_ text: String) -> Result<String, Wrong> {
        let label = /[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ $0.wholeMatch(of: label) != nil }),
            labels.last?.contains(where: \.isLetter) == true
        else { return .failure(Wrong("write a domain in lower case, such as example.com")) }
        guard !PublicSuffix.contains(text) else {
            return .failure(
                Wrong(
                    "anyone can have a name below it, so browsers refuse the cookie. Write your own domain, such as example.\(text)"
                ))
        }
        return .success(text)
    }

    static func path(_ text: String) -> Result<String, Wrong> {
        guard text.hasPrefix("/"), text != "/", !text.hasSuffix("/"), !text.contains("\0") else {
            return .failure(Wrong("write an absolute path"))
        }
        return .success(text)
    }

    static func address(_ text: String) -> Result<ClientAddress, Wrong> {
        guard let address = ClientAddress(text) else { return .failure(Wrong("write an IP address")) }
        return .success(address)
    }

    static func listen(_ text: String) -> Result<ListenAddress, Wrong> {
        guard let match = text.wholeMatch(of: /(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):([0-9]{1,5})/),
            let host = (match.1 ?? match.2).map(String.init), ClientAddress(host) != nil,
            let port = Int(match.3), port <= 65535
        else { return .failure(Wrong("write an IP address and a port, such as 127.0.0.1:3000")) }
        return .success(ListenAddress(host: host, port: port))
    }

    static func adminListen(_ text: String) -> Result<AdminAddress, Wrong> {
        if case .success(let path) = path(text), path.utf8.count < 100 {
            return .success(.socket(path: path))
        }
        guard case .success(let address) = listen(text), ClientAddress(address.host)?.isLoopback == true
        else {
            return .failure(
                Wrong("write a loopback address and a port, such as 127.0.0.1:3001, or the path of a socket"))
        }
        return .success(.loopback(address))
    }

    static func scope(_ text: String) -> Result<String, Wrong> {
        guard text.wholeMatch(of: /[!#-\[\]-~]+/) != nil else {
            return .failure(Wrong("write one scope as each item"))
        }
        return .success(text)
    }

    static func thumbprint(_ text: String) -> Result<String, Wrong> {
        guard AssertionSettings.isThumbprint(text) else {
            return .failure(Wrong("write the SHA-256 thumbprint of a key, 43 characters (RFC 7638)"))
        }
        return .success(text)
    }

    /// Its name says what it is for, so that it is never one that clients send for something else.
    static func certificateHeader(_ text: String) -> Result<HTTPField.Name, Wrong> {
        guard let name = HTTPField.Name(text), name.canonicalName.contains("cert") else {
            return .failure(Wrong("write a field whose name has \"cert\", such as X-Client-Certificate"))
        }
        return .success(name)
    }

    static func certificate(_ text: String) -> Result<String, Wrong> {
        guard (1...1000).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            text.first != " ", text.last != " "
        else { return .failure(Wrong("write the subject or the fingerprint, as the proxy sends it")) }
        return .success(text)
    }

    static func word(_ text: String) -> Result<String, Wrong> {
        text.isEmpty || text.contains("\0") ? .failure(Wrong("write one word as each item")) : .success(text)
    }

    static func issuer(_ text: String) -> Result<String, Wrong> {
        guard let url = try? HTTPURL(validating: text), text == url.origin.description else {
            return .failure(Wrong("write the origin of an authorization server, such as https://bsky.social"))
        }
        return .success(text)
    }

    static func duration(_ text: String) -> Result<Duration, Wrong> {
        guard let match = text.wholeMatch(of: /([1-9][0-9]{0,4})([smhd])/), let count = Int(match.1) else {
            return .failure(Wrong("write a number and a unit, such as 14d, 12h, 30m or 90s"))
        }
        let unit =
            switch match.2 {
            case "s": 1
            case "m": 60
            case "h": 3600
            default: 86400
            }
        return .success(.seconds(count * unit))
    }

    static func redirect(_ text: String) -> Result<String, Wrong> {
        guard RedirectAddress.isAcceptable(text) else {
            return .failure(
                Wrong(
                    "write an https URL, or a scheme with a dot, such as com.example.app:/auth, without a fragment"
                ))
        }
        return .success(text)
    }
}
