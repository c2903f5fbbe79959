internal import Networking

/// A client whose metadata document is hosted under its own name (atproto OAuth: client ID metadata document,
/// protocol:L12).
package enum HostedClientID {
    /// Checks what servers demand of such a name: https, a host name, a path that names a document.
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

/// Why a text can't name a hosted client.
package enum InvalidHostedClientID: Error, Sendable, Hashable {
    case notHTTPS
    /// An address, or a name without a dot.
    case host
    /// No document: the root, or a path that ends in a slash.
    case path
    /// A default port, an upper-case host or the like, which servers compare as other text.
    case notCanonical
}
