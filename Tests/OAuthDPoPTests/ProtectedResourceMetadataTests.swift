import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import OAuthDPoP
import Testing

private let policy = NetworkPolicy()

@Suite("Protected resource metadata") struct ProtectedResourceMetadataTests {
    @Test(
        "refuses a resource that is another, and any number of servers but one", .covers("R18"),
        arguments: [
            (["authorization_servers": ["https://as.example"]], .missing("resource")),
            (
                ["resource": "https://pds.example/", "authorization_servers": ["https://as.example"]],
                .resourceMismatch(expected: "https://pds.example", found: "https://pds.example/")
            ),
            (
                ["resource": "https://evil.example", "authorization_servers": ["https://as.example"]],
                .resourceMismatch(expected: "https://pds.example", found: "https://evil.example")
            ),
            (["resource": "https://pds.example"], .missing("authorization_servers")),
            (
                ["resource": "https://pds.example", "authorization_servers": []],
                .unacceptable("authorization_servers")
            ),
            (
                [
                    "resource": "https://pds.example",
                    "authorization_servers": ["https://a.example", "https://b.example"],
                ],
                .unacceptable("authorization_servers")
            ),
            (
                ["resource": "https://pds.example", "authorization_servers": "https://as.example"],
                .unacceptable("authorization_servers")
            ),
            ([], .malformed(nil)),
        ] as [(JSONValue, DiscoveryError.Code)])
    func refuses(json: JSONValue, code: DiscoveryError.Code) {
        let error = #expect(throws: DiscoveryError.self) {
            try ProtectedResourceMetadata(
                json: json, origin: Origin(scheme: .https, host: "pds.example"), profile: .atproto,
                policy: policy)
        }
        #expect(error?.code == code)
        #expect(error?.document == .protectedResource)
    }

    @Test(
        "refuses a server that is no issuer", .covers("R19"),
        arguments: ["https://as.example/", "http://as.example", "as"])
    func issuer(text: String) {
        let json: JSONValue = [
            "resource": "https://pds.example", "authorization_servers": [.string(text)],
        ]
        let error = #expect(throws: DiscoveryError.self) {
            try ProtectedResourceMetadata(
                json: json, origin: Origin(scheme: .https, host: "pds.example"), profile: .atproto,
                policy: policy)
        }
        guard case .invalidIssuer? = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
