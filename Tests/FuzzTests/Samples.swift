import Foundation

/// Good inputs to break.
enum Samples {
    static let json: [[UInt8]] = [
        #"{"issuer":"https://pds.test","authorization_endpoint":"https://pds.test/oauth/authorize","#
            + #""token_endpoint":"https://pds.test/oauth/token","response_types_supported":["code"],"#
            + #""scopes_supported":["atproto"],"dpop_signing_alg_values_supported":["ES256"]}"#,
        #"{"@context":[],"id":"did:plc:ewvi7nxzyoun6zhxrhs64oiz","alsoKnownAs":["at://alice.test"],"service":"#
            + ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://a.b"}]}"##,
        #"{"access_token":"a","token_type":"DPoP","refresh_token":"ref-1","scope":"atproto","#
            + #""expires_in":3599,"sub":"did:plc:ewvi7nxzyoun6zhxrhs64oiz"}"#,
        #"[0,-1.5e+3,true,false,null,"\u00e9\ud83d\ude00\n",{"a":{"b":[[[]]]}}]"#,
    ].map { Array($0.utf8) }

    static let errors: [[UInt8]] = [
        #"{"error":"ScopeMissingError","message":"Missing required scope \"repo:*\""}"#,
        #"{"error":"invalid_grant","error_description":"Refresh token replayed"}"#,
        "<html><body>502 Bad Gateway</body></html>", "plain words\nand more", "",
    ].map { Array($0.utf8) }

    static let challenge = Array(
        #"Bearer, DPoP algs="RS256 ES256", error="use_dpop_nonce", error_description="a \"quoted\" word""#
            .utf8)

    static let texts: [[UInt8]] = [
        "https://pds.example.com:8443/a/b?c=d", "http://[::1]:80/", "alice.example.com", "@alice.test",
        "did:web:example.com%3A8443", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "app.bsky.feed.getTimeline",
        "repo:app.example.a?action=create&action=update", "rpc?lxm=*&aud=did:web:a.example%23svc",
        #"sh -c 'a "b" \c' "d e""#,
    ].map { Array($0.utf8) }

    /// A header, one question with a compressed name, one TXT record of two strings.
    static let dns: [UInt8] =
        [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + [8] + Array("_atproto".utf8) + [5]
        + Array("alice".utf8) + [4] + Array("test".utf8) + [0, 0, 16, 0, 1]
        + [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 14, 4] + Array("did=".utf8) + [8] + Array("did:web:".utf8)

    /// Ends the process that runs the rounds; the test that waits for it fails.
    static func fail(_ what: String, _ bytes: [UInt8]) {
        FileHandle.standardError.write(Data("\(what): \(bytes)\n".utf8))
        exit(1)
    }
}
