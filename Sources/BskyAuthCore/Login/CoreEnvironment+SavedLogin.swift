extension CoreEnvironment {
    /// Makes the account of a login that is saved active where that is wanted, and ends the session that it
    /// replaced, in this order: what the person asked for is done before a server is waited for that may never
    /// answer.
    ///
    /// - Returns: whether the account is the active one now.
    func conclude(_ saved: AccountStore.Saved, makesActive: Bool) async throws(CoreError) -> Bool {
        let activation = Result { () throws(CoreError) in
            try accounts.activate(afterLogin: saved.profile.id, isWanted: makesActive)
        }
        // Whether that worked or not: nobody else knows this session any more.
        if let replaced = saved.replaced {
            await LogoutFlow(self).revokeReplaced(replaced.profile, replaced.session)
        }
        return try activation.get()
    }
}
