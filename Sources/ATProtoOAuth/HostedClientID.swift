internal import ATPNetworking
package import OAuthDPoP

/// The ID of a client whose metadata document is hosted at that URL (atproto OAuth: client ID metadata document,
/// protocol:L12).
package enum HostedClientID {
    /// Checks what servers require: https, a host name, and a path that names a document.
    package static func make(_ text: String) throws(InvalidHostedClientID) -> ClientID {
        guard let url = try? HTTPURL(validating: text), url.origin.scheme == .https else { throw .notHTTPS }
        let labels = url.origin.host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels.last?.contains(where: \.isLetter) == true else { throw .host }
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard !segments.contains(where: { ["", ".", ".."].contains($0) }) else { throw .path }
        guard url.description == text else { throw .notCanonical }
        return ClientID(text)
    }
}

/// Why a text is not the ID of a hosted client.
package enum InvalidHostedClientID: Error, Sendable, Hashable {
    case notHTTPS
    /// The host is an address or a name without a dot.
    case host
    /// The path names no document: it is the root or ends in a slash.
    case path
    /// The text has a default port, an upper-case host or the like. Servers compare the text as it is.
    case notCanonical
}
