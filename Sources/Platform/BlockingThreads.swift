internal import Synchronization

/// Threads for tasks that wait in system calls, as for a disk: the cooperative pool has as many as there are cores,
/// and while one waits nothing else runs on it. And for what has to go on where the system starts no more threads:
/// then it runs on that of whoever hands it over.
///
/// `executorPreference` puts tasks on them. A thread that has nothing to do waits a second for more.
package final class BlockingThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
        /// Those that wait for a job and that no wake-up is meant for yet.
        var idle = 0
    }

    private enum Step {
        case wake, start, leave
    }

    private let limit: Int
    private let state = Mutex(State())
    private let wakeUps = Semaphore()

    /// - Parameter limit: the most threads at once.
    package init(limit: Int) {
        self.limit = limit
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let step: Step = state.withLock { state in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.threads < limit else { return .leave }
            state.threads += 1
            return .start
        }
        switch step {
        case .wake: wakeUps.signal()
        case .start:
            if !DetachedThread.startIfPossible({ self.work() }) { workHere() }
        case .leave: break
        }
    }

    /// What a thread does.
    private func work() {
        repeat {
            while let job = next(orElse: { $0.idle += 1 }) { run(job) }
        } while isWoken()
    }

    /// What the caller's thread does in place of one that could not be started.
    private func workHere() {
        while let job = next(orElse: { $0.threads -= 1 }) { run(job) }
    }

    private func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    private func next(orElse note: (inout State) -> Void) -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                note(&state)
                return nil
            }
            return state.jobs.removeFirst()
        }
    }

    /// Waits for a wake-up; false after a second without one, and the thread is counted no more.
    private func isWoken() -> Bool {
        if wakeUps.wait(seconds: 1) { return true }
        let mayLeave = state.withLock { state in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.threads -= 1
            return true
        }
        // A wake-up is on its way for each that waits and is not idle.
        if !mayLeave { wakeUps.wait() }
        return !mayLeave
    }
}
