import ATProtoLoopback
import ATProtoSessions

/// The login of a command that receives the redirect itself. The account's session is in the client's store.
func logInHere(_ handle: String, _ client: ATProtoClient) async throws -> Account {
    let account = try await LoopbackRedirect.login(handle, with: client) { page in
        print("Open this page:\n\(page)")
    }
    return account
}
