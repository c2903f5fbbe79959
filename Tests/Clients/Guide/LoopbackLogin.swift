import ATPNetworking
import ATProtoDNS
import ATProtoIdentity
import ATProtoLoopback
import ATProtoSessions

/// The login of a command that receives the redirect itself.
func logInHere(_ handle: String, _ transport: any HTTPTransport) async throws -> Account {
    let browser = try await LoopbackUserAgent { page in print("Open this page:\n\(page)") }
    let client = ATProtoClient(
        as: .loopback(redirectURI: browser.redirectURI), store: StoredSessions(MemoryStorage()),
        transport: transport,
        identities: NetworkIdentities(transport: transport, textRecords: SystemTextRecords()))
    let account = try await client.login(handle, with: browser)
    await browser.close()
    return account
}
