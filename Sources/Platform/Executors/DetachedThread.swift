internal import Glibc

/// Work that waits in system calls, on a thread of its own: the cooperative pool has none to spare.
package enum DetachedThread {
    private final class Job: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    /// Runs the work and suspends until it is done. It is not cancelled with the task.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: work()) }
        }
    }

    /// Runs the work and does not wait. Where no thread is to be had, the caller's does it.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        if !startIfPossible(work) { work() }
    }

    /// False where no thread is to be had.
    static func startIfPossible(_ work: @escaping @Sendable () -> Void) -> Bool {
        let job = unsafe Unmanaged.passRetained(Job(work))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().work()
                }
                return nil
            }, job.toOpaque())
        guard status == 0 else {
            unsafe job.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
