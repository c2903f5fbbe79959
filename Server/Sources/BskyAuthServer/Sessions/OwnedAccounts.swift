internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import FoundationEssentials
internal import Logging

/// What the server does with the accounts of the vault. A session's row says which of them a request may name.
protocol OwnedAccounts: Sendable {
    /// The handle of an account. It is only shown, so it is nil if it can't be read, too.
    func handle(of account: UUID) async -> String?
    /// The server of an account; nil if the account can't be read.
    func server(of account: UUID) async -> Origin?
    /// Asks the account's server whether its OAuth session still works.
    func check(_ account: UUID) async throws(ATProtoFailure)
    /// Whether an account can never be used again: its OAuth session has ended, as all machines have it, or there is no such
    /// account. A failure of the store is no end.
    func hasEnded(_ account: UUID) async -> Bool
    /// Ends the account's OAuth session and removes it.
    ///
    /// - Parameter mustTell: whether the account stays if its server could not be told.
    func logOut(_ account: UUID, mustTell: Bool) async -> Logout
}

/// What became of an account that was to be logged out.
enum Logout: Sendable {
    /// The account is gone.
    case done
    /// It stays, because its server can't be reached or does not work now.
    case unreachable
    /// It stays, because the key of the client is not here, its server refuses the client, or the vault does not work.
    case refused
}

/// The accounts of the vault.
struct OwnedVaultAccounts: OwnedAccounts {
    let client: ATProtoClient
    let store: any SessionStore
    let log: Logger

    func handle(of account: UUID) async -> String? { await read(account)?.handle?.description }

    func server(of account: UUID) async -> Origin? { await read(account)?.pds }

    private func read(_ account: UUID) async -> Account? {
        do { return try await store.account(account) } catch {
            if error.code != .noSuchSession {
                log.error("an account can't be read: \(error)", metadata: ["account": "\(account)"])
            }
            return nil
        }
    }

    func check(_ account: UUID) async throws(ATProtoFailure) {
        let agent = client.agent(for: account).withoutAwaitingRefresh
        let _: Nothing = try await agent.query("com.atproto.server.getSession")
    }

    func hasEnded(_ account: UUID) async -> Bool {
        do { return try await store.newest(account).hasEnded } catch {
            if error.code == .noSuchSession { return true }
            log.warning("a session can't be read: \(error)", metadata: ["account": "\(account)"])
            return false
        }
    }

    func logOut(_ account: UUID, mustTell: Bool) async -> Logout {
        do { try await client.logOut(account, isStrict: mustTell) } catch {
            if error.code == .unknownAccount { return .done }
            log.warning("an account was not logged out: \(error)", metadata: ["account": "\(account)"])
            // A vault that is busy says nothing about the account's server.
            let isOfServer = error.code == .network || error.mayPass && error.code != .store
            return isOfServer ? .unreachable : .refused
        }
        return .done
    }

    private struct Nothing: Decodable {}
}
