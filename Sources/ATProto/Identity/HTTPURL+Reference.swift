internal import Networking

extension HTTPURL {
    /// The URL a `Location` field means (RFC 9110 §10.2.2, RFC 3986 §5.2). A fragment is dropped; dot
    /// segments are left to the server.
    func resolving(reference: String) throws(InvalidURL) -> HTTPURL {
        let text = String(reference.prefix { $0 != "#" })
        let start = text.prefix(8).lowercased()
        if start == "https://" || start.hasPrefix("http://") { return try HTTPURL(validating: text) }
        if text.hasPrefix("//") { return try HTTPURL(validating: "\(origin.scheme.rawValue):\(text)") }
        if text.hasPrefix("/") { return try HTTPURL(validating: "\(origin)\(text)") }
        // A scheme this program does not speak, as in `data:` or `file:`.
        guard !text.isEmpty, !text.prefix(while: { $0 != "/" && $0 != "?" }).contains(":") else {
            throw InvalidURL(.scheme)
        }
        if text.hasPrefix("?") { return try HTTPURL(validating: "\(withoutQuery)\(text)") }
        let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return try HTTPURL(validating: "\(origin)\(directory)\(text)")
    }
}
