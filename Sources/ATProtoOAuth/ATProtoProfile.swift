package import OAuthDPoP

extension OAuthProfile {
    /// The profile of AT Protocol (atproto.com/specs/oauth; protocol:R19-R24, R43).
    ///
    /// An absent `token_endpoint_auth_methods_supported` means `client_secret_basic`, not `none` (protocol:R24), so this
    /// field is required too.
    package static let atproto = OAuthProfile(
        requiredValues: [
            ("grant_types_supported", ["authorization_code", "refresh_token"]),
            ("token_endpoint_auth_methods_supported", ["none", "private_key_jwt"]),
            ("token_endpoint_auth_signing_alg_values_supported", ["ES256"]),
            ("scopes_supported", [Scope.atproto]),
        ],
        requiredFlags: [
            "authorization_response_iss_parameter_supported", "require_pushed_authorization_requests",
            "client_id_metadata_document_supported",
        ],
        // An absent flag is fine: pushed requests are required anyway.
        refusedWhenFalse: ["require_request_uri_registration"],
        hasOriginsAsIssuers: true, requiredScope: Scope.atproto, requiresSubject: true, allowsIDToken: false)
}

extension Scope {
    /// The value that every atproto session needs (protocol:S1).
    package static let atproto = "atproto"
}
