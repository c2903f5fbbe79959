import ATProtoSessions
import Foundation
import OAuthDPoP

/// The identity of a confidential client.
///
/// - Parameter keys: the private keys of the client as JWKs. New logins use the first one.
func confidential(keys: [String]) throws -> ClientIdentity {
    ClientIdentity(
        clientID: "https://app.example.com/client-metadata.json",
        redirectURI: "https://app.example.com/callback", scope: "atproto repo:app.bsky.feed.post",
        assertions: try keys.map { try ClientKey(privateJWK: $0) })
}

/// A new key of a client: the text to keep secret, and the JWK for the client's document.
func newClientKey() throws -> (secret: String, published: String) {
    let secret = try DPoPKey().privateKeyText()
    let key = try ClientKey(privateJWK: secret)
    let published = """
        {"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"\(key.keyID)",\
        "x":"\(base64URL(key.publicKey.x))","y":"\(base64URL(key.publicKey.y))"}
        """
    return (secret, published)
}

func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
}

/// Assertions that a server of your own signs, for an app on the person's device.
struct RemoteAssertions: ClientAssertionSource {
    let keyID: String
    let ask: @Sendable (_ clientID: String, _ issuer: String, _ issuedAt: Date) async throws -> String

    func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String {
        try await ask(clientID, issuer, issuedAt)
    }
}
