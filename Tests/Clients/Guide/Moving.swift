import ATProtoSessions
import Foundation
import OAuthDPoP

/// Moves a session from one store to another.
func moveSession(
    _ id: UUID, from here: ATProtoClient, in store: any SessionStore, to there: ATProtoClient
) async throws -> Account {
    let text = try await here.archive(of: id).text
    let account = try await there.restore(SessionArchive(text: text))
    // Not `logOut`, which would end the session.
    try await store.remove(id)
    return account
}
