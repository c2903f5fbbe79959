internal import ATProtoIdentity
internal import ATProtoSessions
internal import FoundationEssentials

/// The part of `ATProtoClient` that logs in.
protocol LoginClient: Sendable {
    /// - Parameter asksOnlyWho: whether the login asks for no other permission than to know who the person is.
    func begin(
        _ identifier: String, label: String, asksOnlyWho: Bool
    ) async throws(ATProtoFailure) -> PendingLogin
    func complete(_ pending: PendingLogin, redirect: String) async throws(ATProtoFailure) -> AppSession.Entry
}

/// Logs in with one client, and begins with others that spare the servers which a stranger names.
struct LoginClients: LoginClient {
    let beginning: ATProtoClient
    /// Begins with the scope `atproto` alone.
    let asking: ATProtoClient
    let completing: ATProtoClient

    func begin(
        _ identifier: String, label: String, asksOnlyWho: Bool
    ) async throws(ATProtoFailure) -> PendingLogin {
        try await (asksOnlyWho ? asking : beginning).begin(identifier, label: label, signer: nil)
    }

    func complete(_ pending: PendingLogin, redirect: String) async throws(ATProtoFailure) -> AppSession.Entry
    {
        let account = try await completing.complete(pending, redirect: redirect)
        return AppSession.Entry(id: account.id, did: account.did.description)
    }
}
