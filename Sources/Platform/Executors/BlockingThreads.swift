internal import Synchronization

/// Threads for tasks that wait in system calls, as for a disk: the cooperative pool has as many as there are cores,
/// and while one waits nothing else runs on it. And for what has to go on where the system starts no more threads:
/// then it runs on that of whoever hands it over.
///
/// `executorPreference` puts tasks on them. A thread that has nothing to do waits a while for more.
package final class BlockingThreads: TaskExecutor {
    /// What a thread is started with; false where none is to be had.
    typealias Starter = @Sendable (@escaping @Sendable () -> Void) -> Bool

    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
        /// How many of those that wait have no wake-up on its way.
        var idle = 0
    }

    private enum Step {
        case wake, start, leave
    }

    private let limit: Int
    private let patience: Int
    private let starts: Starter
    private let state = Mutex(State())
    private let wakeUps = Semaphore()

    /// - Parameter limit: the most threads at once.
    package convenience init(limit: Int) {
        self.init(limit: limit, patience: 1, starts: DetachedThread.startIfPossible)
    }

    /// - Parameter patience: the seconds that a thread waits for more to do.
    init(limit: Int, patience: Int, starts: @escaping Starter) {
        self.limit = limit
        self.patience = patience
        self.starts = starts
    }

    /// How many threads there are.
    var count: Int { state.withLock { $0.threads } }

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
            if !starts({ self.work() }) { workHere() }
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

    /// Waits for a wake-up; false where there was none for too long, and the thread is counted no more.
    private func isWoken() -> Bool {
        while true {
            if wakeUps.wait(seconds: patience) { return true }
            let mayLeave = state.withLock { state in
                // Else each that waits has a wake-up on its way.
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            if mayLeave { return false }
        }
    }
}
