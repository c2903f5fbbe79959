package import Networking

/// The name of an authorization server: an origin written exactly as servers must write it (RFC 8414 §2,
/// protocol:R19).
///
/// Two issuers are the same when their texts are; nothing is normalised first.
package struct Issuer: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// The issuer as a URL, below which its metadata lives.
    package let url: HTTPURL

    /// Reads an issuer.
    ///
    /// - Throws: ``InvalidIssuer`` for anything but `https://host[:port]` in lower case without a default
    ///   port; `http` is for the dev network alone.
    package init(validating text: String, policy: NetworkPolicy) throws(InvalidIssuer) {
        let url: HTTPURL
        do {
            url = try HTTPURL(validating: text)
        } catch {
            throw InvalidIssuer(text, .url(error.reason))
        }
        guard url.query == nil else { throw InvalidIssuer(text, .query) }
        guard url.path == "/", !text.hasSuffix("/") else { throw InvalidIssuer(text, .path) }
        guard url.origin.description == text else { throw InvalidIssuer(text, .notCanonical) }
        if let refusal = policy.refusal(of: url) { throw InvalidIssuer(text, .refused(refusal)) }
        description = text
        self.url = url
    }
}

/// Why a text is not the name of an authorization server.
package struct InvalidIssuer: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case url(InvalidURL.Reason)
        case query
        /// A path, of which a slash at the end is one.
        case path
        /// Upper case, a default port, or another spelling of what has only one.
        case notCanonical
        case refused(NetworkPolicy.Refusal)
    }

    /// The beginning of the text, harmless to show.
    package let text: String
    package let reason: Reason

    init(_ text: String, _ reason: Reason) {
        self.text = UntrustedText.harmless(text)
        self.reason = reason
    }
}
