import ATPJSON
import ATPNetworking
import Testing

@testable import OAuthDPoP

/// The RFCs alone, with nothing of AT Protocol.
@Suite("The plain profile") struct PlainProfileTests {
    private static let issuer = "https://login.example/tenant"

    /// The smallest document of a server that the client can use.
    private static let metadata: JSONObject = [
        "issuer": .string(issuer),
        "authorization_endpoint": "https://login.example/tenant/authorize",
        "token_endpoint": "https://login.example/tenant/token",
        "pushed_authorization_request_endpoint": "https://login.example/tenant/par",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": ["ES256"],
    ]

    private func read(_ name: String? = nil, _ value: JSONValue? = nil) throws -> AuthorizationServerMetadata
    {
        var object = Self.metadata
        if let name { object[name] = value }
        return try AuthorizationServerMetadata(
            json: .object(object),
            issuer: Issuer(validating: Self.issuer, profile: .plain, policy: NetworkPolicy()),
            profile: .plain, policy: NetworkPolicy())
    }

    @Test(
        "takes an issuer with a path, whose document is below the well-known one",
        arguments: [
            ("https://login.example", "https://login.example/.well-known/oauth-authorization-server"),
            ("https://login.example/", "https://login.example/.well-known/oauth-authorization-server"),
            (
                "https://login.example/tenant",
                "https://login.example/.well-known/oauth-authorization-server/tenant"
            ),
            (
                "https://login.example/a/b/",
                "https://login.example/.well-known/oauth-authorization-server/a/b"
            ),
        ])
    func paths(text: String, url: String) throws {
        let issuer = try Issuer(validating: text, profile: .plain, policy: NetworkPolicy())
        #expect(issuer.description == text)
        #expect(AuthorizationServerMetadata.url(of: issuer).description == url)
    }

    @Test(
        "refuses other spellings of an issuer all the same",
        arguments: [
            ("https://login.example/tenant?x=1", .query), ("https://Login.example/tenant", .notCanonical),
            ("https://login.example:443/tenant", .notCanonical),
            ("http://login.example/tenant", .refused(.plainHTTP)),
            ("https://login.example/tenant#x", .url(.fragment)),
            ("https://10.0.0.1/tenant", .refused(.privateAddress)),
        ] as [(String, InvalidIssuer.Reason)])
    func refusedIssuers(text: String, reason: InvalidIssuer.Reason) {
        let error = #expect(throws: InvalidIssuer.self) {
            try Issuer(validating: text, profile: .plain, policy: NetworkPolicy())
        }
        #expect(error?.reason == reason)
    }

    @Test("takes the document of a server that knows nothing of AT Protocol")
    func document() throws {
        #expect(try !read().namesIssuerInRedirects)
        #expect(try read("authorization_response_iss_parameter_supported", true).namesIssuerInRedirects)
    }

    @Test(
        "needs what this client uses",
        arguments: [
            ("response_types_supported", ["token"]), ("code_challenge_methods_supported", ["plain"]),
            ("code_challenge_methods_supported", nil), ("dpop_signing_alg_values_supported", ["RS256"]),
            ("dpop_signing_alg_values_supported", nil), ("pushed_authorization_request_endpoint", nil),
            ("issuer", "https://login.example"), ("token_endpoint", "http://login.example/token"),
        ] as [(String, JSONValue?)])
    func needs(name: String, value: JSONValue?) {
        #expect(throws: DiscoveryError.self) { try read(name, value) }
    }

    @Test("takes a redirect without an issuer, but none with another")
    func redirects() throws {
        let issuer = try Issuer(validating: Self.issuer, profile: .plain, policy: NetworkPolicy())
        func code(_ query: String, needsIssuer: Bool) throws -> String {
            try AuthorizationResponse(
                query: query, expectedState: State(value: "s"), issuer: issuer, needsIssuer: needsIssuer
            ).code.reveal()
        }
        #expect(try code("state=s&code=c", needsIssuer: false) == "c")
        #expect(throws: AuthorizationResponseError.issuerMissing) {
            try code("state=s&code=c", needsIssuer: true)
        }
        #expect(throws: AuthorizationResponseError.issuerMismatch(found: "https://evil.example")) {
            try code("state=s&code=c&iss=https%3A%2F%2Fevil.example", needsIssuer: false)
        }
    }

    @Test("takes a token response without account and scope, and with an OpenID Connect token")
    func tokens() throws {
        func validate(_ json: JSONValue) throws { try TokenResponse(json: json).validate(for: .plain) }
        try validate(["access_token": "a", "token_type": "DPoP"])
        try validate(["access_token": "a", "token_type": "DPoP", "id_token": "x"])
        #expect(throws: TokenResponseProblem.tokenType("Bearer")) {
            try validate(["access_token": "a", "token_type": "Bearer"])
        }
    }
}
