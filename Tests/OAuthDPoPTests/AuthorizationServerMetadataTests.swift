import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import OAuthDPoP
import Testing

private let policy = NetworkPolicy()
private let devPolicy = NetworkPolicy(devNetwork: Origin(scheme: .http, host: "localhost", port: 2583))

/// The smallest acceptable document.
let leastMetadata: JSONObject = [
    "issuer": "https://as.example",
    "authorization_endpoint": "https://as.example/authorize?x=1",
    "token_endpoint": "https://as.example/token",
    "pushed_authorization_request_endpoint": "https://as.example/par",
    "response_types_supported": ["code"],
    "grant_types_supported": ["authorization_code", "refresh_token"],
    "code_challenge_methods_supported": ["S256"],
    "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
    "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
    "scopes_supported": ["atproto"],
    "dpop_signing_alg_values_supported": ["ES256"],
    "authorization_response_iss_parameter_supported": true,
    "require_pushed_authorization_requests": true,
    "client_id_metadata_document_supported": true,
]

@Suite("Authorization server metadata") struct AuthorizationServerMetadataTests {
    private func read(
        _ name: String? = nil, _ value: JSONValue? = nil, policy: NetworkPolicy = policy
    ) throws -> AuthorizationServerMetadata {
        var object = leastMetadata
        if let name { object[name] = value }
        return try AuthorizationServerMetadata(
            json: .object(object),
            issuer: Issuer(validating: "https://as.example", profile: .atproto, policy: NetworkPolicy()),
            profile: .atproto, policy: policy)
    }

    private func code(_ name: String, _ value: JSONValue?) -> DiscoveryError.Code? {
        let error = #expect(throws: DiscoveryError.self) { try read(name, value) }
        #expect(error?.document == .authorizationServer)
        #expect(error?.url == "https://as.example/.well-known/oauth-authorization-server")
        return error?.code
    }

    @Test("takes the least that is enough, endpoints as they are written") func least() throws {
        let metadata = try read()
        #expect(metadata.authorizationEndpoint.description == "https://as.example/authorize?x=1")
        #expect(metadata.tokenEndpoint.description == "https://as.example/token")
        #expect(metadata.pushedAuthorizationRequestEndpoint.description == "https://as.example/par")
        #expect(metadata.revocationEndpoint == nil)
        #expect(metadata.protectedResources == nil)
    }

    @Test(
        "needs every field of it", .covers("R21", "R24", "D6"), arguments: leastMetadata.members.map(\.name))
    func missing(name: String) {
        #expect(code(name, nil) == .missing(name))
    }

    @Test(
        "needs every value of it", .covers("R21"),
        arguments: [
            ("response_types_supported", ["token"]), ("response_types_supported", "code"),
            ("grant_types_supported", ["authorization_code"]), ("grant_types_supported", ["refresh_token"]),
            ("code_challenge_methods_supported", ["plain"]), ("code_challenge_methods_supported", []),
            ("token_endpoint_auth_methods_supported", ["none"]),
            ("token_endpoint_auth_methods_supported", ["private_key_jwt"]),
            ("token_endpoint_auth_signing_alg_values_supported", ["RS256"]),
            ("token_endpoint_auth_signing_alg_values_supported", ["ES256", "none"]),
            ("scopes_supported", ["openid"]), ("scopes_supported", ["atproto", 1]),
            ("dpop_signing_alg_values_supported", ["RS256"]),
            ("authorization_response_iss_parameter_supported", false),
            ("authorization_response_iss_parameter_supported", "true"),
            ("require_pushed_authorization_requests", false),
            ("client_id_metadata_document_supported", false), ("require_request_uri_registration", false),
            ("protected_resources", "https://pds.example"), ("protected_resources", [1]),
        ] as [(String, JSONValue)])
    func unacceptable(name: String, value: JSONValue) {
        #expect(code(name, value) == .unacceptable(name))
    }

    @Test(
        "refuses endpoints that are not to be asked or opened", .covers("R23"),
        arguments: [
            "authorization_endpoint", "token_endpoint", "pushed_authorization_request_endpoint",
            "revocation_endpoint",
        ],
        [
            "http://as.example/x", "javascript:alert(1)", "file:///etc/passwd", "/relative", "",
            "https://me@as.example/x", "https://as.example/x#f", "https://as.example/a b", 1, [],
        ] as [JSONValue])
    func endpoints(name: String, value: JSONValue) {
        #expect(code(name, value) == .unacceptable(name))
    }

    @Test(
        "compares the issuer letter for letter", .covers("R20"),
        arguments: ["https://as.example/", "https://AS.example", "https://evil.example", ""])
    func issuer(text: String) {
        #expect(code("issuer", .string(text)) == .issuerMismatch(expected: "https://as.example", found: text))
    }

    @Test("says nothing harmful where the issuer is another") func harmless() {
        guard case .issuerMismatch(_, let found)? = code("issuer", "https://x\u{1b}[31m") else {
            Issue.record("another refusal")
            return
        }
        #expect(!found.unicodeScalars.contains("\u{1b}"))
    }

    @Test("holds endpoints to the dev network while it is on") func devNetwork() throws {
        #expect(throws: DiscoveryError.self) { try read(policy: devPolicy) }
    }

    @Test("takes null for an optional field's absence, and no document for none", .covers("R23"))
    func absence() throws {
        #expect(try read("revocation_endpoint", .null).revocationEndpoint == nil)
        #expect(try read("protected_resources", .null).protectedResources == nil)
        let issuer = try Issuer(validating: "https://as.example", profile: .atproto, policy: policy)
        let error = #expect(throws: DiscoveryError.self) {
            try AuthorizationServerMetadata(json: ["x"], issuer: issuer, profile: .atproto, policy: policy)
        }
        #expect(error?.code == .malformed(nil))
    }

    @Test("takes the real documents", .needsVectors) func real() throws {
        let json = try Vectors.metadata("bsky-entryway-authorization-server")
        let issuer = try Issuer(validating: "https://bsky.social", profile: .atproto, policy: policy)
        let metadata = try AuthorizationServerMetadata(
            json: json, issuer: issuer, profile: .atproto, policy: policy)
        #expect(metadata.tokenEndpoint.description == "https://bsky.social/oauth/token")
        #expect(metadata.revocationEndpoint?.description == "https://bsky.social/oauth/revoke")
        for (name, host, server) in [
            ("morel-protected-resource", "morel.us-east.host.bsky.network", "https://bsky.social"),
            ("indie-protected-resource", "pds.robocracy.org", "https://pds.robocracy.org"),
        ] {
            let resource = try ProtectedResourceMetadata(
                json: Vectors.metadata(name), origin: Origin(scheme: .https, host: host), profile: .atproto,
                policy: policy)
            #expect(resource.issuer.description == server)
        }
    }
}
