extension AuthorizationServer {
    /// The metadata document, member for member as in case 002 but for the algorithms (RFC 8414 §2).
    var metadata: JSONValue {
        if let text = profile.documents.authorizationServer { return origins.document(text) }
        let algorithms = JSONValue(SigningAlgorithms.accepted)
        return [
            "issuer": .string(issuer),
            "request_parameter_supported": true,
            "request_uri_parameter_supported": true,
            "require_request_uri_registration": true,
            "scopes_supported": [
                "atproto", "transition:email", "transition:generic", "transition:chat.bsky",
            ],
            "subject_types_supported": ["public"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "fragment", "form_post"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "ui_locales_supported": ["en-US"],
            "display_values_supported": ["page", "popup", "touch"],
            "request_object_signing_alg_values_supported": JSONValue(SigningAlgorithms.accepted + ["none"]),
            "authorization_response_iss_parameter_supported": true,
            "request_object_encryption_alg_values_supported": [],
            "request_object_encryption_enc_values_supported": [],
            "jwks_uri": .string(issuer + "/oauth/jwks"),
            "authorization_endpoint": .string(issuer + "/oauth/authorize"),
            "token_endpoint": .string(issuer + "/oauth/token"),
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint": .string(issuer + "/oauth/revoke"),
            "pushed_authorization_request_endpoint": .string(issuer + "/oauth/par"),
            "require_pushed_authorization_requests": true,
            "dpop_signing_alg_values_supported": algorithms,
            "protected_resources": [.string(origins[.personalDataServer])],
            "client_id_metadata_document_supported": true,
            "prompt_values_supported": ["none", "login", "consent", "select_account", "create"],
        ]
    }
}
