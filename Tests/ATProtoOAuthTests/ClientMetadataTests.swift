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
            clientID: id, name: "app", scope: Scope("atproto repo:*"), kind: .native
        ).json
        #expect(json["client_id"]?.string == id.description)
        #expect(json["token_endpoint_auth_method"]?.string == "none")
        #expect(json["application_type"]?.string == "native")
        #expect(json["dpop_bound_access_tokens"]?.bool == true)
        #expect(json["redirect_uris"]?.strings == ["http://127.0.0.1/callback"])
        #expect(json["grant_types"]?.strings == ["authorization_code", "refresh_token"])
        #expect(json["scope"]?.string == "atproto repo:*")
    }
}
