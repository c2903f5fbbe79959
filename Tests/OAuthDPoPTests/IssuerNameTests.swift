import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import OAuthDPoP
import Testing

private let policy = NetworkPolicy()
private let devPolicy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))

@Suite("Names of issuers") struct IssuerNameTests {
    @Test(
        "takes an origin as it is written", .covers("R19"),
        arguments: [
            "https://bsky.social", "https://pds.example:8443", "https://8.8.8.8",
            "https://[2606:4700::1111]:444",
        ])
    func accepts(text: String) throws {
        let issuer = try Issuer(validating: text, profile: .atproto, policy: policy)
        #expect(issuer.description == text)
        #expect(issuer.url.description == text + "/")
    }

    @Test(
        "refuses every other spelling, and says why", .covers("R19"),
        arguments: [
            ("https://bsky.social/", .path), ("https://bsky.social/oauth", .path),
            ("https://bsky.social?", .query), ("https://bsky.social/?a=b", .query),
            ("https://bsky.social#", .url(.fragment)), ("https://me@bsky.social", .url(.userInformation)),
            ("https://bsky.social:443", .notCanonical), ("https://Bsky.social", .notCanonical),
            ("HTTPS://bsky.social", .notCanonical), ("https://bsky.social:08443", .notCanonical),
            ("http://bsky.social", .refused(.plainHTTP)), ("http://localhost", .refused(.plainHTTP)),
            ("https://127.0.0.1", .refused(.privateAddress)),
            ("bsky.social", .url(.scheme)), ("", .url(.scheme)), ("javascript:alert(1)", .url(.scheme)),
            (" https://bsky.social", .url(.character)), ("https://", .url(.host)),
        ] as [(String, InvalidIssuer.Reason)])
    func refuses(text: String, reason: InvalidIssuer.Reason) {
        let error = #expect(throws: InvalidIssuer.self) {
            try Issuer(validating: text, profile: .atproto, policy: policy)
        }
        #expect(error?.reason == reason)
    }

    @Test("allows plain http on the dev network, and nothing beyond it") func devNetwork() throws {
        _ = try Issuer(validating: "http://localhost:2583", profile: .atproto, policy: devPolicy)
        for text in ["https://bsky.social", "http://localhost:80", "http://bsky.social"] {
            #expect(throws: InvalidIssuer.self) {
                try Issuer(validating: text, profile: .atproto, policy: devPolicy)
            }
        }
    }
}
