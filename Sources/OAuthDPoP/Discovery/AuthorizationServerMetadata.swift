package import ATPJSON
package import ATPNetworking

/// The metadata document of an authorization server (RFC 8414 §2). It meets every requirement of a profile
/// (protocol:R19-R24).
package struct AuthorizationServerMetadata: Sendable, Hashable {
    package let issuer: Issuer
    /// The page for the browser. Its scheme is `http` or `https` (protocol:R23).
    package let authorizationEndpoint: HTTPURL
    package let tokenEndpoint: HTTPURL
    package let pushedAuthorizationRequestEndpoint: HTTPURL
    /// Nil if the server can't revoke tokens.
    package let revocationEndpoint: HTTPURL?
    /// The resources that the server protects. Nil if the document doesn't list them.
    package let protectedResources: [String]?
    /// The whole document.
    package let json: JSONValue
    /// How many seconds the server's clock was ahead of this machine's when the document was fetched; nil if that is not
    /// known.
    var clockOffset: Int64?

    /// Reads the document of `issuer`.
    ///
    /// - Throws: ``DiscoveryError`` for the first field that is missing or unacceptable.
    package init(
        json: JSONValue, issuer: Issuer, profile: OAuthProfile, policy: NetworkPolicy
    ) throws(DiscoveryError) {
        let document = Document(json: json, url: Self.url(of: issuer).description, policy: policy)
        guard json.object != nil else { throw document.error(.malformed(nil)) }
        guard let name = json["issuer"]?.string else { throw document.error(.missing("issuer")) }
        guard name == issuer.description else {
            let found = UntrustedText.harmless(name)
            throw document.error(.issuerMismatch(expected: issuer.description, found: found))
        }
        for (field, values) in Self.requiredValues + profile.requiredValues {
            try document.require(values, in: field)
        }
        for field in profile.requiredFlags { try document.requireTrue(field) }
        for field in profile.refusedWhenFalse where json[field]?.bool == false {
            throw document.error(.unacceptable(field))
        }
        if json["token_endpoint_auth_signing_alg_values_supported"]?.strings?.contains("none") == true {
            throw document.error(.unacceptable("token_endpoint_auth_signing_alg_values_supported"))
        }
        self.issuer = issuer
        authorizationEndpoint = try document.requireEndpoint("authorization_endpoint")
        tokenEndpoint = try document.requireEndpoint("token_endpoint")
        pushedAuthorizationRequestEndpoint = try document.requireEndpoint(
            "pushed_authorization_request_endpoint")
        revocationEndpoint = try document.endpoint("revocation_endpoint")
        if let resources = json["protected_resources"], !resources.isNull {
            guard let resources = resources.strings else {
                throw document.error(.unacceptable("protected_resources"))
            }
            protectedResources = resources
        } else {
            protectedResources = nil
        }
        self.json = json
    }

    /// Whether redirects can carry their answer in the fragment.
    package var offersFragment: Bool {
        json["response_modes_supported"]?.strings?.contains(ResponseMode.fragment.rawValue) == true
    }

    /// Whether every redirect names the issuer (RFC 9207 §3).
    package var namesIssuerInRedirects: Bool {
        json["authorization_response_iss_parameter_supported"]?.bool == true
    }

    /// The URL of an issuer's document: its path follows the well-known one, without a slash at the end (RFC 8414 §3.1).
    static func url(of issuer: Issuer) -> HTTPURL {
        let path = issuer.url.path
        return issuer.url.replacing(
            path: "/.well-known/oauth-authorization-server"
                + (path.hasSuffix("/") ? path.dropLast() : path[...]))
    }

    /// The values that each field must contain, whatever the profile (protocol:R21).
    private static let requiredValues: [(field: String, values: [String])] = [
        ("response_types_supported", ["code"]),
        ("code_challenge_methods_supported", ["S256"]),
        ("dpop_signing_alg_values_supported", ["ES256"]),
    ]
}

/// Reads the fields of a document. Each error names its field.
private struct Document {
    let json: JSONValue
    let url: String
    let policy: NetworkPolicy

    func error(_ code: DiscoveryError.Code) -> DiscoveryError {
        DiscoveryError(code, document: .authorizationServer, url: url)
    }

    func require(_ values: [String], in field: String) throws(DiscoveryError) {
        guard let found = json[field] else { throw error(.missing(field)) }
        guard let found = found.strings, values.allSatisfy(found.contains) else {
            throw error(.unacceptable(field))
        }
    }

    func requireTrue(_ field: String) throws(DiscoveryError) {
        guard let found = json[field] else { throw error(.missing(field)) }
        guard found.bool == true else { throw error(.unacceptable(field)) }
    }

    func requireEndpoint(_ field: String) throws(DiscoveryError) -> HTTPURL {
        guard let endpoint = try endpoint(field) else { throw error(.missing(field)) }
        return endpoint
    }

    func endpoint(_ field: String) throws(DiscoveryError) -> HTTPURL? {
        guard let value = json[field], !value.isNull else { return nil }
        guard let text = value.string, let url = try? HTTPURL(validating: text),
            policy.refusal(of: url) == nil
        else { throw error(.unacceptable(field)) }
        return url
    }
}
