/// Valid inputs to mutate.
enum Samples {
    static let serverMetadata = bytes(
        #"{"issuer":"https://pds.test","authorization_endpoint":"https://pds.test/oauth/authorize","#
            + #""token_endpoint":"https://pds.test/oauth/token","#
            + #""pushed_authorization_request_endpoint":"https://pds.test/oauth/par","#
            + #""revocation_endpoint":"https://pds.test/oauth/revoke","#
            + #""require_pushed_authorization_requests":true,"response_types_supported":["code"],"#
            + #""grant_types_supported":["authorization_code","refresh_token"],"#
            + #""code_challenge_methods_supported":["S256"],"#
            + #""token_endpoint_auth_methods_supported":["none","private_key_jwt"],"#
            + #""token_endpoint_auth_signing_alg_values_supported":["ES256"],"#
            + #""authorization_response_iss_parameter_supported":true,"#
            + #""client_id_metadata_document_supported":true,"#
            + #""scopes_supported":["atproto"],"dpop_signing_alg_values_supported":["ES256"]}"#)
    static let resourceMetadata = bytes(
        #"{"resource":"https://pds.test","authorization_servers":["https://pds.test"]}"#)
    static let didDocument = bytes(
        #"{"@context":[],"id":"did:plc:ewvi7nxzyoun6zhxrhs64oiz","alsoKnownAs":["at://alice.test"],"service":"#
            + ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://a.b"}]}"##
    )
    static let tokens = bytes(
        #"{"access_token":"a","token_type":"DPoP","refresh_token":"ref-1","scope":"atproto","#
            + #""expires_in":3599,"sub":"did:plc:ewvi7nxzyoun6zhxrhs64oiz"}"#)
    static let json = bytes(#"[0,-1.5e+3,true,false,null,"\u00e9\ud83d\ude00\n",{"a":{"b":[[[]]]}}]"#)

    static let refusals = [
        #"{"error":"ScopeMissingError","message":"Missing required scope \"repo:*\""}"#,
        #"{"error":"invalid_grant","error_description":"Refresh token replayed"}"#,
        "<html><body>502 Bad Gateway</body></html>", "plain words\nand more", "",
    ].map(bytes)

    static let challenge = bytes(
        #"Bearer, DPoP algs="RS256 ES256", error="use_dpop_nonce", error_description="a \"quoted\" word""#)

    /// The query of a redirect without the state, which is new for every run.
    static let redirects = [
        "iss=https%3A%2F%2Fpds.test&code=cod-1",
        "error=access_denied&error_description=no%20thanks&iss=https%3A%2F%2Fpds.test",
    ].map(bytes)

    /// Method, target, service and body of requests to the gateway, a line each.
    static let requests = [
        "GET\n/xrpc/app.bsky.feed.getTimeline?limit=5&cursor=a%20b\ndid:web:api.bsky.app#bsky_appview\n",
        "POST\n/xrpc/com.atproto.repo.createRecord\ndid:web:api.bsky.app#bsky_appview\n"
            + #"{"repo":"alice.test","collection":"app.bsky.feed.post","record":{"text":"x"}}"#,
        "HEAD\n/xrpc/com.atproto.server.GETSERVICEAUTH?aud=did:web:a.example&lxm=a.b.c\nx\n",
    ].map(bytes)

    static let texts = [
        "https://pds.example.com:8443/a/b?c=d", "http://[::1]:80/", "alice.example.com", "@alice.test",
        "did:web:example.com%3A8443", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "app.bsky.feed.getTimeline",
        "repo:app.example.a?action=create&action=update", "rpc?lxm=*&aud=did:web:a.example%23svc",
        #"sh -c 'a "b" \c' "d e""#,
    ].map(bytes)

    /// A header, one question, one TXT record of its name with two strings.
    static let dns: [UInt8] =
        [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + [8] + bytes("_atproto") + [5]
        + bytes("alice") + [4] + bytes("test") + [0, 0, 16, 0, 1]
        + [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 14, 4] + bytes("did=") + [8] + bytes("did:web:")

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
