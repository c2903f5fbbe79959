extension ServerProfile {
    /// The documents of cirrus, as recorded.
    static let cirrusDocuments = Documents(
        authorizationServer: """
            {"issuer":"{issuer}","authorization_endpoint":"{issuer}/oauth/authorize",
            "token_endpoint":"{issuer}/oauth/token","userinfo_endpoint":"{issuer}/oauth/userinfo",
            "jwks_uri":"{issuer}/oauth/jwks","response_types_supported":["code"],
            "response_modes_supported":["fragment","query"],"grant_types_supported":["authorization_code",
            "refresh_token"],"code_challenge_methods_supported":["S256"],
            "token_endpoint_auth_methods_supported":["none","private_key_jwt"],
            "scopes_supported":["atproto","transition:generic","transition:email","transition:chat.bsky"],
            "subject_types_supported":["public"],"authorization_response_iss_parameter_supported":true,
            "client_id_metadata_document_supported":true,
            "token_endpoint_auth_signing_alg_values_supported":["ES256"],
            "pushed_authorization_request_endpoint":"{issuer}/oauth/par",
            "require_pushed_authorization_requests":true,"dpop_signing_alg_values_supported":["ES256"]}
            """,
        protectedResource: """
            {"resource":"{resource}","authorization_servers":["{issuer}"],"scopes_supported":["atproto",
            "transition:generic","transition:chat.bsky"]}
            """
    )
}
