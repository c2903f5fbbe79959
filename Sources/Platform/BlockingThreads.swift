internal import Synchronization

/// Threads for tasks that wait in system calls, as for a disk: the cooperative pool has as many as there are cores,
/// and while one waits nothing else runs on it.
///
/// `withTaskExecutorPreference` puts the tasks of a group on them.
package final class BlockingThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most threads at once; one ends when there is nothing left to do.
    package init(limit: Int) {
        self.limit = limit
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let startsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        if startsThread { DetachedThread.start { self.work() } }
    }

    private func work() {
        while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// nil where there is none, and with it the end of a thread.
    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
