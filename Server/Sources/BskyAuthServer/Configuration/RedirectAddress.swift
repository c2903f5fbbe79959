internal import ATPNetworking
internal import FoundationEssentials

/// Where a login of an app ends.
enum RedirectAddress {
    /// Whether a server may send browsers to an address: an https URL, or one with the app's own scheme. Such a scheme has a
    /// dot (RFC 8252 §7.1), so `javascript`, `data` and the schemes of other programs are refused.
    static func isAcceptable(_ text: String) -> Bool {
        guard text.utf8.count <= 1000, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            !text.contains(where: { "#<>\"\\^`{|}".contains($0) })
        else { return false }
        if text.hasPrefix("https://") { return (try? HTTPURL(validating: text)) != nil }
        guard let match = text.prefixMatch(of: /([a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):\//) else {
            return false
        }
        return match.1.count <= 200
    }

    /// The address with parameters added to its query.
    static func address(_ redirect: String, adding parameters: [(String, String)]) -> String {
        let query = parameters.map { "\($0)=\(FormText.encode($1))" }.joined(separator: "&")
        return redirect + (redirect.contains("?") ? "&" : "?") + query
    }
}

/// Where a login in a browser ends: a path of this server.
enum LocalPath {
    /// Whether a text is such a path. `//host` and `/\host` lead to other hosts.
    static func isAcceptable(_ text: String) -> Bool {
        guard text.hasPrefix("/"), text.utf8.count <= 1000,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return false }
        return !text.hasPrefix("//") && !text.contains("\\")
    }
}
