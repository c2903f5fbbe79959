import ATPJSON
import ATProtoOAuth
import BskyAuthCovers
import OAuthDPoP
import Testing

@Suite("Hosted clients")
struct ClientMetadataTests {
    @Test(
        "accepts the URL of a document", .covers("L12"),
        arguments: ["https://app.example.com/oauth-client-metadata.json"])
    func accepts(text: String) throws {
        #expect(try HostedClientID.make(text).description == text)
    }

    @Test(
        "refuses names that servers refuse", .covers("L12"),
        arguments: [
            ("http://app.example.com/c.json", .notHTTPS), ("https://localhost/c.json", .host),
            ("https://192.0.2.7/c.json", .host), ("https://app.example.com/", .path),
            ("https://app.example.com", .path), ("https://app.example.com/a/", .path),
            ("https://app.example.com/a/../c.json", .path), ("https://App.example.com/c", .notCanonical),
            ("https://app.example.com:443/c", .notCanonical), ("https://user@app.example.com/c", .notHTTPS),
        ] as [(String, InvalidHostedClientID)])
    func refuses(text: String, reason: InvalidHostedClientID) {
        #expect(throws: reason) { try HostedClientID.make(text) }
    }

    @Test("writes a document that says what servers check", .covers("R24", "R81", "L11", "L12", "C7"))
    func document() throws {
        let id = try HostedClientID.make("https://app.example.com/c.json")
        let json = ClientMetadata(
            clientID: id, name: "app", scope: Scope("atproto repo:*"),
            kind: .native(redirectURIs: ["http://127.0.0.1/callback"])
        ).json
        #expect(json["client_id"]?.string == id.description)
        #expect(json["token_endpoint_auth_method"]?.string == "none")
        #expect(json["application_type"]?.string == "native")
        #expect(json["dpop_bound_access_tokens"]?.bool == true)
        #expect(json["redirect_uris"]?.strings == ["http://127.0.0.1/callback"])
        #expect(json["grant_types"]?.strings == ["authorization_code", "refresh_token"])
        #expect(json["scope"]?.string == "atproto repo:*")
    }

    private static let id = "https://app.example.com/oauth-client-metadata.json"

    @Test("writes the document of an app, with the redirects that servers allow", .covers("L11", "L12"))
    func apps() throws {
        let redirects = [
            "https://app.example.com/done", "http://127.0.0.1/callback", "http://[::1]/callback",
            "com.example.app:/callback",
        ]
        let metadata = try ClientMetadata.public(
            clientID: Self.id, name: "app", redirectURIs: redirects, scope: "atproto transition:generic")
        #expect(metadata.json["redirect_uris"]?.strings == redirects)
        #expect(try JSONParser.parse(metadata.text) == metadata.json)
        for uri in [
            "http://127.0.0.1:8080/callback", "http://localhost/callback", "http://app.example.com/done",
            "com.example.other:/callback", "com.example.app://callback", "javascript:alert(1)", "",
            "https://other.example.com/done",
            "com.example.app:/call back", "com.example.app:/\n", "https://app.example.com/done#x",
            "https://localhost/done", "https://other.example.com/done",
            "com.example.app:/call back", "com.example.app:/\n",
        ] {
            #expect(throws: InvalidClientMetadata.self, "\(uri)") {
                try ClientMetadata.public(
                    clientID: Self.id, name: "app", redirectURIs: [uri], scope: "atproto")
            }
        }
    }

    @Test("writes the document of a website without a key") func website() throws {
        let uri = "https://elsewhere.example.com/done"
        let json = try ClientMetadata.public(
            clientID: Self.id, name: "site", redirectURIs: [uri], scope: "atproto", isWebsite: true
        ).json
        #expect(json["application_type"]?.string == "web" && json["redirect_uris"]?.strings == [uri])
        #expect(json["token_endpoint_auth_method"]?.string == "none" && json["jwks"] == nil)
        #expect(throws: InvalidClientMetadata.self) {
            try ClientMetadata.public(
                clientID: Self.id, name: "site", redirectURIs: ["http://127.0.0.1/callback"],
                scope: "atproto",
                isWebsite: true)
        }
    }

    @Test("writes the document of a confidential client with its public keys only", .covers("R81"))
    func confidential() throws {
        let key = try ClientKey()
        let metadata = try ClientMetadata.confidential(
            clientID: Self.id, name: "app", redirectURIs: ["https://app.example.com/oauth/callback"],
            scope: "atproto", keys: [key.publicKey])
        let keys = metadata.json["jwks"]?["keys"]?.array
        #expect(keys?.first?["kid"]?.string == key.keyID)
        #expect(try JSONParser.parse(ClientMetadata.keySet([key.publicKey]))["keys"]?.array == keys)
        #expect(!metadata.text.contains(#""d""#))
        #expect(try ClientKey(privateJWK: key.privateKeyText()).keyID == key.keyID)
        for (id, scope, uri, keys) in [
            ("http://app.example.com/c.json", "atproto", "https://app.example.com/a", [key.publicKey]),
            (Self.id, "transition:generic", "https://app.example.com/a", [key.publicKey]),
            (Self.id, "atproto", "http://127.0.0.1/callback", [key.publicKey]),
            (Self.id, "atproto", "com.example.app:/callback", [key.publicKey]),
            (Self.id, "atproto", "https://localhost/a", [key.publicKey]),
            (Self.id, "atproto", "https://box/a", [key.publicKey]),
            (Self.id, "atproto", "https://app.example.com/a#b", [key.publicKey]),
            (Self.id, "atproto", "https://localhost/a", [key.publicKey]),
            (Self.id, "atproto", "https://box/a", [key.publicKey]),
            (Self.id, "atproto", "https://app.example.com/a#b", [key.publicKey]),
            (Self.id, "atproto", "https://app.example.com/a", []),
        ] {
            #expect(throws: InvalidClientMetadata.self, "\(id) \(scope) \(uri)") {
                try ClientMetadata.confidential(
                    clientID: id, name: "app", redirectURIs: [uri], scope: scope, keys: keys)
            }
        }
        #expect(throws: InvalidClientMetadata.self) {
            try ClientMetadata.confidential(
                clientID: Self.id, name: "app", redirectURIs: [], scope: "atproto", keys: [key.publicKey])
        }
    }
}
