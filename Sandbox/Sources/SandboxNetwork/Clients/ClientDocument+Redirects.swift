import Foundation

extension ClientDocument {
    /// The redirect URIs. A web client may use any https URI, a native one also loopback addresses and its own scheme.
    func redirectURIs() throws(OAuthFailure) -> [String] {
        let uris = try texts("redirect_uris", default: [])
        guard !uris.isEmpty else { throw Self.invalid("At least one redirect_uri is required") }
        for uri in uris { try check(uri) }
        return uris
    }

    private func check(_ uri: String) throws(OAuthFailure) {
        guard let parts = URLComponents(string: uri), let scheme = parts.scheme else {
            throw Self.invalid("Validation of \"redirect_uris\" failed")
        }
        let host = parts.host ?? ""
        guard parts.user == nil, parts.password == nil else {
            throw Self.redirect("Redirect URI \(uri) must not contain credentials")
        }
        if host == "localhost" {
            throw Self.redirect("Loopback redirect URI \(uri) is not allowed (use explicit IPs instead)")
        }
        if ["127.0.0.1", "[::1]", "::1"].contains(host) { return try checkLoopback(uri, scheme) }
        if scheme == "http" {
            throw Self.redirect("Only loopback redirect URIs are allowed to use the \"http\" scheme")
        }
        if scheme != "https" { try checkPrivateUse(uri, scheme) }
    }

    private func checkLoopback(_ uri: String, _ scheme: String) throws(OAuthFailure) {
        guard isNative else {
            throw Self.redirect("Loopback redirect URIs are only allowed for native apps")
        }
        guard scheme == "http" else { throw Self.redirect("Loopback redirect URI \(uri) must use HTTP") }
    }

    /// A private-use scheme is the host of the client_id in reverse order (RFC 8252 §7.1).
    private func checkPrivateUse(_ uri: String, _ scheme: String) throws(OAuthFailure) {
        guard scheme.contains(".") else { throw Self.redirect("Invalid redirect URI scheme \"\(scheme):\"") }
        guard isNative else {
            throw Self.redirect("Private-Use URI Scheme redirect URI are only allowed for native apps")
        }
        let host = URLComponents(string: clientID)?.host ?? ""
        let reversed = host.split(separator: ".").reversed().joined(separator: ".")
        guard scheme == reversed, uri.hasPrefix("\(scheme):/"), !uri.hasPrefix("\(scheme)://") else {
            throw Self.redirect("Private-Use URI Scheme must be in the form \(reversed):/<path>")
        }
    }

    private static func redirect(_ description: String) -> OAuthFailure {
        OAuthFailure("invalid_redirect_uri", description, reason: .clientDocument, subject: description)
    }
}
