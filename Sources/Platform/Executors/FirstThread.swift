internal import Synchronization

/// The thread that the process began with, for all that a command does: a pool of threads that would start with
/// its first suspension takes longer than most commands do.
///
/// Tasks that the work starts for itself run here too, one at a time; those that are to keep every core busy or wait
/// for a disk say where (`globalConcurrentExecutor`, ``BlockingThreads``).
package final class FirstThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    /// How many jobs there are.
    private let count = Semaphore()

    private init() {}

    /// Runs the work to its end. Only from the first thread.
    package static func run(_ work: @escaping @Sendable () async -> Int32) -> Int32 {
        let thread = FirstThread()
        let result = Mutex<Int32?>(nil)
        Task(executorPreference: thread) {
            let value = await work()
            result.withLock { $0 = value }
        }
        while true {
            if let value = result.withLock({ $0 }) { return value }
            thread.runNext()
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        count.signal()
    }

    private func runNext() {
        count.wait()
        let job = jobs.withLock { $0.removeFirst() }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
