internal import ATProtoSessions
internal import FoundationEssentials

/// Waits for the end of a login, with a time limit.
struct LoginWait {
    let pending: LoginInProgress
    let clock: any WallClock
    let timeout: Duration

    func ending() async -> Result<LoginOutcome, any Error> {
        let deadline = clock.now.addingTimeInterval(Double(timeout.components.seconds))
        return await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // This sleep is usually cancelled.
                    guard (try? await clock.sleep(until: deadline)) != nil else { return }
                    await pending.giveUp(CoreError.loginTimedOut)
                }
                let ending = await pending.ending()
                group.cancelAll()
                return ending
            }
        } onCancel: {
            Task { await pending.giveUp(SessionFailure.cancelled) }
        }
    }
}
