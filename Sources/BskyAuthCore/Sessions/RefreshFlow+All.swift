extension RefreshFlow {
    /// What became of one account of several.
    package struct Attempt: Sendable {
        package let profile: AccountProfile
        package let result: Result<(outcome: Outcome, session: Session), CoreError>
    }

    /// Refreshes several accounts at once (``SideBySide``).
    ///
    /// - Parameter report: is given every attempt as it ends, one at a time.
    /// - Returns: the attempts in the order of the accounts.
    package func refresh(
        _ profiles: [AccountProfile], wants: Wants, jobs: Int, lockTimeout: Duration,
        report: (Attempt) -> Void
    ) async -> [Attempt] {
        await SideBySide.run(
            profiles, jobs: jobs, in: environment, server: \.pds,
            work: { await attempt($0, wants, lockTimeout) }, report: report)
    }

    private func attempt(_ profile: AccountProfile, _ wants: Wants, _ lockTimeout: Duration) async -> Attempt
    {
        do throws(CoreError) {
            let (outcome, session) = try await refresh(profile.id, wants: wants, lockTimeout: lockTimeout)
            return Attempt(profile: profile, result: .success((outcome, session)))
        } catch {
            return Attempt(profile: profile, result: .failure(error))
        }
    }
}
