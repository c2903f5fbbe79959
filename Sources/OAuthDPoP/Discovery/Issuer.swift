package import ATPNetworking

/// The identifier of an authorization server: a URL in its canonical form (RFC 8414 §2, protocol:R19).
///
/// Issuers are compared as text, without normalisation.
package struct Issuer: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// The issuer as a URL. The metadata is at a path below it.
    package let url: HTTPURL

    /// Reads an issuer.
    ///
    /// - Throws: ``InvalidIssuer`` for anything but `https://host[:port]` in lower case without a default port, and a path
    ///   if the profile has issuers with paths. Only the dev network may use `http`.
    package init(
        validating text: String, profile: OAuthProfile, policy: NetworkPolicy
    ) throws(InvalidIssuer) {
        let url: HTTPURL
        do {
            url = try HTTPURL(validating: text)
        } catch {
            throw InvalidIssuer(text, .url(error.reason))
        }
        guard url.query == nil else { throw InvalidIssuer(text, .query) }
        if profile.hasOriginsAsIssuers, url.path != "/" || text.hasSuffix("/") {
            throw InvalidIssuer(text, .path)
        }
        guard [url.origin.description, url.description].contains(text) else {
            throw InvalidIssuer(text, .notCanonical)
        }
        if let refusal = policy.refusal(of: url) { throw InvalidIssuer(text, .refused(refusal)) }
        description = text
        self.url = url
    }
}

/// Why a text is not an issuer.
package struct InvalidIssuer: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case url(InvalidURL.Reason)
        case query
        /// The text has a path, or a slash at its end, and the profile does not allow it.
        case path
        /// The text has upper case, a default port, or another spelling that is not canonical.
        case notCanonical
        case refused(NetworkPolicy.Refusal)
    }

    /// The beginning of the text, safe to display.
    package let text: String
    package let reason: Reason

    init(_ text: String, _ reason: Reason) {
        self.text = UntrustedText.harmless(text)
        self.reason = reason
    }
}
