import ATProtoOAuth
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

/// The document that the client publishes at the URL that is its ID.
///
/// - Parameter keys: the private keys of the client, the old ones too.
func document(keys: [ClientKey]) throws -> String {
    try ClientMetadata.confidential(
        clientID: "https://app.example.com/client-metadata.json", name: "My app",
        redirectURIs: ["https://app.example.com/callback"], scope: "atproto repo:app.bsky.feed.post",
        keys: keys.map(\.publicKey)
    ).text
}

/// Assertions that a server of your own signs, for an app on the person's device.
struct RemoteAssertions: ClientAssertionSource {
    let keyID: String
    let ask: @Sendable (_ clientID: String, _ issuer: String, _ issuedAt: Date) async throws -> String

    func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String {
        try await ask(clientID, issuer, issuedAt)
    }
}
