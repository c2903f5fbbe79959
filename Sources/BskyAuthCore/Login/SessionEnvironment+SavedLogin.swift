internal import ATProto
internal import FoundationEssentials
internal import Networking

extension SessionEnvironment {
    /// The account that a login saves, unless it replaces the session of another one.
    func newAccount(_ identity: Identity, label: String?, at now: Date) -> AccountProfile {
        AccountProfile(
            id: UUID(), did: identity.did, handle: identity.handle, label: label, pds: identity.pds,
            isOnDevNetwork: network.policy.devNetwork != nil, addedAt: now)
    }

    /// Refuses a label that another account answers to, before anybody signs in in vain.
    func requireOwnLabel(_ label: String?, of identity: Identity) throws {
        try accounts.requireOwnLabel(
            beforeLogin: newAccount(identity, label: label, at: network.wallClock.now))
    }

    /// Makes the account of a login that is saved active where that is wanted, and ends the session that it
    /// replaced, in this order: what the person asked for is done before a server is waited for that may never
    /// answer.
    ///
    /// - Returns: whether the account is the active one now.
    func conclude(_ saved: AccountStore.Saved, makesActive: Bool) async throws -> Bool {
        let activation = Result {
            try accounts.activate(afterLogin: saved.profile.id, isWanted: makesActive)
        }
        // Whether that worked or not: nobody else knows this session any more.
        if let replaced = saved.replaced {
            await LogoutFlow(self).revokeReplaced(replaced.profile, replaced.session)
        }
        return try activation.get()
    }
}
