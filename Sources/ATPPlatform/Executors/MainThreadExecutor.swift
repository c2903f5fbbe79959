internal import Dispatch
internal import Synchronization

/// A task executor that runs a whole command on the main thread. Starting the cooperative pool takes longer than most
/// commands do.
///
/// The child tasks of the work (`async let`, task groups) run here too, one at a time. An unstructured `Task {}` does
/// not inherit the executor: it runs on the cooperative pool. Work that needs every core, or that blocks, names its
/// executor (`globalConcurrentExecutor`, ``BlockingWork``).
package final class MainThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let jobCount = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs the work to its end on the calling thread, which has to be the main thread.
    package static func run(_ work: @escaping @Sendable () async -> Int32) -> Int32 {
        let executor = MainThreadExecutor()
        let result = Mutex<Int32?>(nil)
        Task(executorPreference: executor) {
            let value = await work()
            result.withLock { $0 = value }
        }
        while true {
            if let value = result.withLock({ $0 }) { return value }
            executor.runNext()
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        jobCount.signal()
    }

    private func runNext() {
        jobCount.wait()
        let job = jobs.withLock { $0.removeFirst() }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
