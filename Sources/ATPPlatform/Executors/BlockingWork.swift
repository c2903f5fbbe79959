internal import Dispatch
internal import Glibc
internal import Synchronization

/// A task executor for blocking system calls (fsync, DNS, child processes) and for scrypt, so that they don't
/// occupy the cooperative pool, which has only one thread per core.
///
/// It creates a thread when a job finds no idle one, up to a limit. An idle thread waits a while for another job and
/// then ends. If the system can't create a thread, the job runs on the thread that enqueues it.
package final class BlockingWork: TaskExecutor {
    /// The executor of the process, with a thread for each of the most jobs a command may have (`--jobs`).
    package static let shared = BlockingWork(limit: 64)

    /// Runs the work in a task of its own and waits for its value. Cancelling the caller does not cancel the work.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await Task(executorPreference: shared) { await work() }.value
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
        /// The waiting threads that no signal is on its way to.
        var idle = 0
    }

    private enum Runner {
        case idleThread, newThread, busyThread
    }

    private let limit: Int
    private let idleTime: DispatchTimeInterval
    private let start: @Sendable (BlockingWork) -> Bool
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: the most threads at once.
    ///   - idleTime: how long an idle thread waits for another job.
    ///   - start: starts a thread, as ``startThread()`` does.
    init(
        limit: Int, idleTime: DispatchTimeInterval = .seconds(1),
        start: @escaping @Sendable (BlockingWork) -> Bool = { $0.startThread() }
    ) {
        self.limit = limit
        self.idleTime = idleTime
        self.start = start
    }

    /// How many threads there are, and how many of them have no job.
    var threads: (all: Int, idle: Int) { state.withLock { ($0.threads, $0.idle) } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runner: Runner = state.withLock { state in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .idleThread
            }
            guard state.threads < limit else { return .busyThread }
            state.threads += 1
            return .newThread
        }
        switch runner {
        case .idleThread: wakeUp.signal()
        case .newThread: if !start(self) { runJobs { $0.threads -= 1 } }
        case .busyThread: break
        }
    }

    private func runThread() {
        repeat { runJobs { $0.idle += 1 } } while isWoken()
    }

    /// Runs queued jobs until none is left, which is then noted in the state.
    private func runJobs(thenNote note: (inout State) -> Void) {
        while let job = nextJob(orNote: note) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob(orNote note: (inout State) -> Void) -> UnownedJob? {
        state.withLock { state in
            guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
            note(&state)
            return nil
        }
    }

    /// Waits for a job; false if none came in time, and the thread has to end.
    private func isWoken() -> Bool {
        while wakeUp.wait(timeout: .now() + idleTime) == .timedOut {
            let mayEnd = state.withLock { state in
                // If each waiting thread has a signal on its way, this one has to take its signal.
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            if mayEnd { return false }
        }
        return true
    }

    /// Starts a thread that runs the jobs; false if the system can't.
    func startThread() -> Bool {
        let reference = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<BlockingWork>.fromOpaque(argument).takeRetainedValue().runThread()
                }
                return nil
            }, reference.toOpaque())
        if status == 0 { pthread_detach(thread) } else { unsafe reference.release() }
        return status == 0
    }
}
