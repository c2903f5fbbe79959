internal import ATProto
internal import Networking

extension RefreshFlow {
    /// What became of one account of several.
    package struct Attempt: Sendable {
        package let profile: AccountProfile
        package let result: Result<(outcome: Outcome, session: Session), CoreError>
    }

    /// Refreshes several accounts at once, each by itself: none waits for the lock, the server or the failure
    /// of another.
    ///
    /// - Parameters:
    ///   - jobs: how many at once; a server with many accounts leaves places to the others.
    ///   - report: is given every attempt as it ends, one at a time.
    /// - Returns: the attempts in the order of the accounts.
    package func refresh(
        _ profiles: [AccountProfile], wants: Wants, jobs: Int, lockTimeout: Duration,
        report: (Attempt) -> Void
    ) async -> [Attempt] {
        var queue = FairQueue(Array(profiles.enumerated()), places: jobs) { $0.element.pds }
        var attempts: [Attempt?] = profiles.map { _ in nil }
        await withTaskGroup(of: (Int, Attempt).self) { group in
            func start() {
                while let (number, profile) = queue.next() {
                    group.addTask { (number, await attempt(profile, wants, lockTimeout)) }
                }
            }
            start()
            while let (number, attempt) = await group.next() {
                attempts[number] = attempt
                report(attempt)
                queue.finish(attempt.profile.pds)
                start()
            }
        }
        return attempts.compactMap(\.self)
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
