extension ServerProfile {
    /// The documents of cocoon, as recorded.
    static let cocoonDocuments = Documents(
        authorizationServer: """
            {"issuer":"{issuer}","request_parameter_supported":true,"request_uri_parameter_supported":true,
            "require_request_uri_registration":true,"scopes_supported":["atproto","transition:email",
            "transition:generic","transition:chat.bsky"],"subject_types_supported":["public"],
            "response_types_supported":["code"],"response_modes_supported":["query","fragment",
            "form_post"],"grant_types_supported":["authorization_code","refresh_token"],
            "code_challenge_methods_supported":["S256"],"ui_locales_supported":["en-US"],
            "display_values_supported":["page","popup","touch"],
            "request_object_signing_alg_values_supported":["ES256"],
            "authorization_response_iss_parameter_supported":true,
            "request_object_encryption_alg_values_supported":[],
            "request_object_encryption_enc_values_supported":[],"jwks_uri":"{issuer}/oauth/jwks",
            "authorization_endpoint":"{issuer}/oauth/authorize","token_endpoint":"{issuer}/oauth/token",
            "token_endpoint_auth_methods_supported":["none","private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported":["ES256"],
            "revocation_endpoint":"{issuer}/oauth/revoke",
            "introspection_endpoint":"{issuer}/oauth/introspect",
            "pushed_authorization_request_endpoint":"{issuer}/oauth/par",
            "require_pushed_authorization_requests":true,"dpop_signing_alg_values_supported":["ES256"],
            "protected_resources":["{resource}"],"client_id_metadata_document_supported":true}
            """,
        protectedResource: """
            {"authorization_servers":["{issuer}"],"bearer_methods_supported":["header"],
            "resource":"{resource}","resource_documentation":"https://atproto.com","scopes_supported":[]}
            """,
        publishesKeys: true
    )
}
