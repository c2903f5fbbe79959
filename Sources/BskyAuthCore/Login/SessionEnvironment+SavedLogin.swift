internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials

extension SessionEnvironment {
    /// The new account for a login, used unless the login replaces the session of an existing account.
    func newAccount(_ identity: Identity, label: String?, at now: Date) -> Account {
        Account(
            id: UUID(), did: identity.did, handle: identity.handle, label: label, pds: identity.pds,
            devNetwork: network.policy.devNetwork, addedAt: now)
    }

    /// Refuses a label that would select another account, before the user signs in.
    func requireOwnLabel(_ label: String?, of identity: Identity) throws {
        try accounts.requireOwnLabel(
            beforeLogin: newAccount(identity, label: label, at: network.wallClock.now))
    }

    /// Saves a login. The user has signed in, so a refresh of the same account in another process is waited for.
    func save(_ account: Account, _ session: Session) async throws -> VaultAccounts.Saved {
        try await accounts.saveLogin(account, session, at: network.wallClock.now) {
            holder async throws(VaultError) in
            try await accounts.lock(holder.id, timeout: Turn.longest)
        }
    }

    /// Makes the account of a saved login active if the user wants that, then ends the replaced session. This order
    /// does not let a server that never answers delay the activation.
    ///
    /// - Returns: whether the account is active now.
    func conclude(_ saved: VaultAccounts.Saved, makesActive: Bool) async throws -> Bool {
        let activation = Result {
            try accounts.activate(afterLogin: saved.account.id, isWanted: makesActive)
        }
        // Do this even if the activation failed, because the vault no longer has the replaced session.
        for replaced in saved.replaced {
            await LogoutFlow(self).revokeReplaced(replaced.account, replaced.session)
        }
        return try activation.get()
    }
}
