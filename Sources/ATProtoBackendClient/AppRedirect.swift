internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions

/// The redirect that ends a login: the app's redirect URI with `code` and `did`, or with `error`.
///
/// It has no `state`. Only the PKCE challenge binds it to a login (RFC 7636), so whatever is refused here says nothing about the
/// login.
struct AppRedirect: Sendable {
    let code: String
    /// Whose session the code is for.
    let did: DID

    /// Whether a text may be the redirect URI of an app.
    static func isAcceptable(_ text: String) -> Bool {
        (1...1000).contains(text.utf8.count) && text.contains(":") && !text.contains("#")
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Reads the URL that the browser was sent to.
    ///
    /// - Throws: `foreignRedirect`, unless it is the redirect URI byte for byte with one code and one DID, or with one error.
    init(_ redirect: String, to redirectURI: String) throws(ATProtoFailure) {
        let foreign = ATProtoFailure(.foreignRedirect, "the redirect does not answer the login of this app")
        let beginning = redirectURI + (redirectURI.contains("?") ? "&" : "?")
        guard redirect.utf8.count <= 8192, !redirect.contains("#"),
            redirect.utf8.starts(with: beginning.utf8),
            let query = FormParameters(parsing: String(redirect.utf8.dropFirst(beginning.utf8.count)) ?? "")
        else { throw foreign }
        if let error = query.single("error"), query.values("code").isEmpty, query.values("did").isEmpty {
            throw ATProtoFailure(redirect: error)
        }
        guard query.values("error").isEmpty, let code = query.single("code"), !code.isEmpty,
            let did = query.single("did").flatMap(DID.init)
        else { throw foreign }
        self.code = code
        self.did = did
    }
}

extension ATProtoFailure {
    /// The error of a redirect.
    fileprivate init(redirect error: String) {
        let said = UntrustedText.harmless(error, limit: 100)
        switch error {
        case "access_denied": self.init(.denied, "the login was denied")
        case "wrong_account":
            self.init(.verification, "another account signed in than the one that was asked for")
        default: self.init(.refused, "the login failed: \(said)")
        }
        self.error = said
        mayPass = error == "server_unreachable"
    }
}
