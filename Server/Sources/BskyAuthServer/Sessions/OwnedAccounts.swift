internal import ATProtoIdentity
internal import ATProtoSessions
internal import FoundationEssentials
internal import Logging

/// What the server does with the accounts of the vault. A session's row says which of them a request may name.
protocol OwnedAccounts: Sendable {
    /// The handle of an account; nil if it has none or is gone.
    func handle(of account: UUID) async throws -> String?
    /// Asks the account's server whether its OAuth session still works.
    func check(_ account: UUID) async throws(ATProtoFailure)
    /// Ends the account's OAuth session and removes it.
    ///
    /// - Returns: whether the server was told.
    func logOut(_ account: UUID) async -> Bool
}

/// The accounts of the vault.
struct VaultAccounts: OwnedAccounts {
    let client: ATProtoClient
    let store: any SessionStore
    let log: Logger

    func handle(of account: UUID) async throws -> String? {
        do { return try await store.account(account).handle?.description } catch {
            if error.code == .noSuchSession { return nil }
            throw error
        }
    }

    func check(_ account: UUID) async throws(ATProtoFailure) {
        let _: Nothing = try await client.agent(for: account).query("com.atproto.server.getSession")
    }

    func logOut(_ account: UUID) async -> Bool {
        do { return try await client.logOut(account) } catch {
            if error.code == .unknownAccount { return true }
            // The account stays in the vault without an owner, so that a later attempt can end it.
            log.warning("an account was not logged out: \(error)", metadata: ["account": "\(account)"])
            return false
        }
    }

    private struct Nothing: Decodable {}
}
